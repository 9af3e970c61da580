"""Data sets, and how they are dealt to the workers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from holdfast.data.cifar10 import CIFAR10, cifar10
from holdfast.data.dataset import Dataset
from holdfast.data.digits import digits
from holdfast.data.files import FILE_TYPES, from_file
from holdfast.data.mnist import FASHION_MNIST, MNIST, fashion_mnist, mnist
from holdfast.data.partitions import PARTITIONS, ByLabel, Dirichlet, Iid, Partition
from holdfast.errors import InvalidInput, unknown
from holdfast.naming import Family

REGISTRY: dict[str, Callable[..., Dataset]] = {
    "digits": digits,
    "mnist": mnist,
    "fashion-mnist": fashion_mnist,
    "cifar10": cifar10,
}

FETCHED = {image_set.name: image_set for image_set in (MNIST, FASHION_MNIST, CIFAR10)}
"""The data sets that come over the network."""

SETS: Family[Dataset] = Family("data set", REGISTRY, makes=callable)


def load(data: Any) -> Dataset:
    """Return the data set of this name, or the one in this .npz or .csv file; a `Dataset` is one already.

    >>> load("digits").train_features.shape
    (1438, 8, 8)
    """
    if isinstance(data, str | Path) and Path(data).suffix in FILE_TYPES:
        return from_file(Path(data))
    if isinstance(data, str) and data not in REGISTRY and ":" not in data:
        raise unknown("data set", data, [*REGISTRY, *(f"FILE{suffix}" for suffix in FILE_TYPES), "package.module:name"])
    found = SETS.make(data) if isinstance(data, str) else data() if callable(data) else data
    if not isinstance(found, Dataset):
        raise InvalidInput(f"data must be a Dataset, or make one; got {type(found).__name__} from {data!r}")
    return found


__all__ = [
    "FETCHED",
    "FILE_TYPES",
    "PARTITIONS",
    "REGISTRY",
    "SETS",
    "ByLabel",
    "Dataset",
    "Dirichlet",
    "Iid",
    "Partition",
    "load",
]
