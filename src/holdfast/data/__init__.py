"""Data sets, and partitions among the workers."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from holdfast.data.cifar10 import CIFAR10, cifar10
from holdfast.data.dataset import Dataset
from holdfast.data.image_sets import FASHION_MNIST, MNIST, digits, fashion_mnist, mnist
from holdfast.data.partitions import (
    PARTITIONS,
    Among,
    Assignment,
    ByLabel,
    Dirichlet,
    FeatureNoise,
    Holdings,
    Iid,
    Partition,
    Quantity,
    ShardsPerWorker,
    Similarity,
    holdings,
)
from holdfast.data.tables.column_layout import Column, Encoded, Layout
from holdfast.data.tables.table_options import TABLE_TYPES, Table, is_table
from holdfast.data.tables.typed_tables import from_bunch, from_frame, is_bunch, is_frame, read_frame
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
    if isinstance(found, Table):
        return found.load()
    if isinstance(found, str) and Path(found).suffix in FILE_TYPES:
        return from_file(Path(found))
    if isinstance(found, str) and found not in REGISTRY and ":" not in found:
        known = [*REGISTRY, *(f"FILE{suffix}" for suffix in FILE_TYPES), "package.module:name"]
        raise unknown("data set", found, known)
    made = SETS.make(found) if isinstance(found, str) else found() if callable(found) else found
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
