"""Data of a spec: a name, a file, a table, a data set or a function; what is asked of them, and loading."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os.path import isfile
from pathlib import Path
from typing import Any

from holdfast.data.dataset import Dataset, Source
from holdfast.data.image_sets import CIFAR10, FASHION_MNIST, MNIST, cifar10, digits, fashion_mnist, mnist
from holdfast.data.tables.table_options import TABLE_TYPES, Table, is_table
from holdfast.data.tables.typed_tables import from_bunch, from_frame, is_bunch, is_frame
from holdfast.data.user_files import from_file
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


FILE_TYPES = (".npz", *TABLE_TYPES)

Data = str | Source | Callable[[], Dataset]
"""What the field `data` of a spec holds."""


@dataclass(frozen=True)
class Named(Source):
    """One of our data sets, an .npz file, or `package.module:name`."""

    name: str

    def __str__(self) -> str:
        return self.name

    @property
    def ours(self) -> bool:
        return self.name in REGISTRY

    @property
    def known(self) -> bool:
        return self.ours or self._is_file or ":" in self.name

    @property
    def files(self) -> tuple[str, ...]:
        return (self.name,) if self._is_file else ()

    @property
    def title(self) -> str:
        return Path(self.name).name

    @property
    def _is_file(self) -> bool:
        return Path(self.name).suffix in FILE_TYPES

    def locate(self) -> str:
        return str(Path(self.name).resolve()) if self._is_file and isfile(self.name) else self.name

    def origin(self) -> dict[str, str] | None:
        return None if self._is_file else SETS.source(self.name)

    def load(self) -> Dataset:
        if self._is_file:
            return from_file(Path(self.name))
        if not self.known:
            known = [*REGISTRY, *(f"FILE{suffix}" for suffix in FILE_TYPES), "package.module:name"]
            raise unknown("data set", self.name, known)
        return SETS.make(self.name)


@dataclass(frozen=True)
class Maker(Source):
    """A function that makes a data set."""

    make: Callable[[], Dataset]

    def __str__(self) -> str:
        return SETS.name(self.make)

    def locate(self) -> Callable[[], Dataset]:
        return self.make

    def origin(self) -> dict[str, str] | None:
        return SETS.source(self.make)

    def load(self) -> Dataset:
        return self.make()


def as_source(data: Data) -> Source:
    """Return the data of a spec as what answers questions about them."""
    if isinstance(data, str):
        return Named(data)
    if isinstance(data, Source):
        return data
    if not callable(data):
        raise InvalidInput(
            f"data must be a name, a file, a table, a Dataset or a function that makes one; got {data!r}"
        )
    return Maker(data)


def load(data: Any, **options: Any) -> Dataset:
    """Return the data set of this name, or the one in this file or object.

    A table (a .csv, .tsv or .parquet file, a pandas DataFrame) takes the options of a `Table`. A bunch of scikit-learn
    and a `Dataset` take none.

    >>> load("digits").train_features.shape
    (1438, 8, 8)
    """
    if is_frame(data):
        return from_frame(data, **options)
    found = describe(data)
    if options:
        if not isinstance(found, Table):
            raise InvalidInput(f"options are for tables; got {', '.join(options)} for {data!r}")
        found = Table.of(found.table() | options)
    made = as_source(found).load()
    if not isinstance(made, Dataset):
        raise InvalidInput(f"data must be a Dataset, or make one; got {type(made).__name__} from {data!r}")
    return made


def describe(data: Any) -> Any:
    """Return data as a spec holds them: a name, a `Table`, a `Dataset`, or what makes one.

    >>> describe("wine.csv:target=class")
    Table(path='wine.csv', target='class', ...)
    """
    if is_bunch(data):
        return from_bunch(data)
    if is_frame(data):
        return from_frame(data)
    if isinstance(data, Path):
        data = str(data)
    return Table.of(data) if is_table(data) else data


def look_beside(data: Any, folder: Path) -> Any:
    """Return data whose relative paths start in this folder."""
    if is_table(data):
        return Table.of(data).relocate(lambda path: str(folder / path))
    name = data.get("name") if isinstance(data, Mapping) and len(data) == 1 else data
    return str(folder / name) if isinstance(name, str) and Path(name).suffix in FILE_TYPES else data
