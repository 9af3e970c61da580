"""Samples to learn from and samples to test on."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.data.tables.column_layout import Layout
from holdfast.errors import InvalidInput
from holdfast.typing import Features, Json, Targets


class Source(ABC):
    """Data of a spec, before they are loaded. `str` writes them as on a command line."""

    @property
    def ours(self) -> bool:
        """Whether this is one of our data sets."""
        return False

    @property
    def known(self) -> bool:
        """Whether the text says where the data are."""
        return True

    @property
    def tabular(self) -> bool:
        """Whether features come from the columns of a table."""
        return False

    @property
    def files(self) -> tuple[str, ...]:
        return ()

    @property
    def title(self) -> str:
        """The name in titles: a file without its folder and options."""
        return str(self)

    def table(self) -> Json:
        """Return the data as they are written in TOML."""
        return {"name": str(self)}

    def locate(self) -> Any:
        """Return the data for a spec, files named by whole paths."""
        return self

    def origin(self) -> dict[str, str] | None:
        """Return the source of code from outside the package that makes the data, if any."""
        return None

    @abstractmethod
    def load(self) -> "Dataset": ...


@dataclass(frozen=True, eq=False)  # two data sets are equal if they are the same one: arrays do not compare
class Dataset(Source):
    """Features `(N, ...)`, of bytes for images, and targets `(N,)`."""

    name: str
    train_features: Features
    train_targets: Targets
    test_features: Features
    test_targets: Targets
    labels: tuple[Any, ...] | None = None
    """The names of the classes, if targets are their numbers from 0."""
    layout: Layout | None = None
    """How columns of a table became features; None if the data were no table."""
    notes: tuple[str, ...] = ()
    """Guesses of the reader, for the first lines of a run."""
    unit: float = 1.0
    """The width by which targets were divided, if they were standardised."""

    def __str__(self) -> str:
        return self.name

    @property
    def tabular(self) -> bool:
        return self.layout is not None

    def load(self) -> "Dataset":
        return self

    @property
    def classes(self) -> int:
        """The number of classes, if the targets are numbered from 0."""
        return int(max(self.train_targets.max(), self.test_targets.max())) + 1

    def number_classes(self) -> "Dataset":
        """Return the data with classes numbered from 0; labels may be any whole numbers."""
        if self.labels is not None:
            return self
        both: Targets = np.concatenate([self.train_targets, self.test_targets])
        fractional = both[both != np.round(both)]
        if len(fractional):
            raise InvalidInput(
                f"classes need whole numbers or texts as labels; got {fractional[0]:g} in {self.name} "
                "(--problem least-squares learns numbers)"
            )
        labels, places = np.unique(both, return_inverse=True)
        train, test = np.split(places, [len(self.train_targets)])
        return replace(self, train_targets=train, test_targets=test, labels=tuple(labels.tolist()))

    def digest(self) -> str:
        """Return a checksum of all samples, by which a resumed run recognises its data."""
        hashed = sha256()
        for array in (self.train_features, self.train_targets, self.test_features, self.test_targets):
            hashed.update(f"{array.dtype.str}{array.shape}".encode())
            hashed.update(np.ascontiguousarray(array).data)
        if self.labels is not None:
            hashed.update("\n".join(map(str, self.labels)).encode())
        return hashed.hexdigest()

    @staticmethod
    def split(name: str, features: Features, targets: Targets, test_share: float = 0.2) -> "Dataset":
        """Hold out a share of the samples for testing, at least one, always the same ones."""
        train, test = train_and_test(len(targets), test_share)
        return Dataset(name, features[train], targets[train], features[test], targets[test])


def train_and_test(count: int, test_share: float = 0.2) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the indices of training samples and of test samples, at least one, always the same ones."""
    order = np.random.Generator(np.random.PCG64(0)).permutation(count)
    test, train = np.split(order, [max(int(test_share * count), 1)])
    return train, test
