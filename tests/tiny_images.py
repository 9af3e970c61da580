"""The four files of an image set as small as can be: two training pictures and one for testing, of 1 x 2 pixels."""

from hashlib import sha256

from holdfast.data.image_sets import TEST_IMAGES, TEST_LABELS, TRAIN_IMAGES, TRAIN_LABELS

FILES = {
    TRAIN_IMAGES: bytes([0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4]),
    TRAIN_LABELS: bytes([0, 0, 8, 1, 0, 0, 0, 2, 0, 1]),
    TEST_IMAGES: bytes([0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 5, 6]),
    TEST_LABELS: bytes([0, 0, 8, 1, 0, 0, 0, 1, 1]),
}
CHECKSUMS = {name: sha256(content).hexdigest() for name, content in FILES.items()}
