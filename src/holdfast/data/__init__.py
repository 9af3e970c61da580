"""Data sets, and how they are dealt to the workers."""

from collections.abc import Callable
from pathlib import Path

from holdfast.data.dataset import Dataset
from holdfast.data.digits import digits
from holdfast.data.files import from_file
from holdfast.data.mnist import FASHION_MNIST, MNIST, fashion_mnist, mnist
from holdfast.data.partitions import ByLabel, Dirichlet, Iid, Partition
from holdfast.errors import unknown

REGISTRY: dict[str, Callable[[], Dataset]] = {
    "digits": digits,
    "mnist": mnist,
    "fashion-mnist": fashion_mnist,
}

FETCHED = {image_set.name: image_set for image_set in (MNIST, FASHION_MNIST)}
"""The data sets that come over the network."""

FILE_TYPES = (".npz", ".csv")


def load(name: str) -> Dataset:
    """Return the data set of this name, or the one in this .npz or .csv file.

    >>> load("digits").train_features.shape
    (1438, 64)
    """
    if name in REGISTRY:
        return REGISTRY[name]()
    if Path(name).suffix in FILE_TYPES:
        return from_file(Path(name))
    raise unknown("data set", name, [*REGISTRY, "FILE.npz", "FILE.csv"])


__all__ = [
    "FETCHED",
    "REGISTRY",
    "ByLabel",
    "Dataset",
    "Dirichlet",
    "Iid",
    "Partition",
    "load",
]
