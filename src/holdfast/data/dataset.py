"""Samples to learn from and samples to test on."""

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput


@dataclass(frozen=True, eq=False)  # two data sets are equal if they are the same one: arrays do not compare
class Dataset:
    """Features `(N, ...)` as they came (images stay images, of bytes) and targets `(N,)`."""

    name: str
    train_features: NDArray[Any]
    train_targets: NDArray[Any]
    test_features: NDArray[Any]
    test_targets: NDArray[Any]

    @property
    def classes(self) -> int:
        """The number of classes, if the targets are numbered from 0."""
        return int(max(self.train_targets.max(), self.test_targets.max())) + 1

    def numbered(self) -> "Dataset":
        """Return the data with their labels, whatever whole numbers they are, numbered from 0."""
        both: NDArray[Any] = np.concatenate([self.train_targets, self.test_targets])
        fractional = both[both != np.round(both)]
        if len(fractional):
            raise InvalidInput(f"classes need whole numbers as labels; got {fractional[0]} in {self.name}")
        train, test = np.split(np.unique(both, return_inverse=True)[1], [len(self.train_targets)])
        return replace(self, train_targets=train, test_targets=test)

    def digest(self) -> str:
        """Return a checksum of everything in it, by which a run knows its data again."""
        hashed = sha256()
        for array in (self.train_features, self.train_targets, self.test_features, self.test_targets):
            hashed.update(f"{array.dtype.str}{array.shape}".encode())
            hashed.update(np.ascontiguousarray(array).data)
        return hashed.hexdigest()

    @staticmethod
    def split(name: str, features: NDArray[Any], targets: NDArray[Any], test_share: float = 0.2) -> "Dataset":
        """Hold out a share of the samples for testing, at least one; the same ones every time."""
        order = np.random.Generator(np.random.PCG64(0)).permutation(len(targets))
        test, train = np.split(order, [max(int(test_share * len(targets)), 1)])
        return Dataset(name, features[train], targets[train], features[test], targets[test])
