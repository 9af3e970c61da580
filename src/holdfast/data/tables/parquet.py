"""Parquet files, where pyarrow is installed."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from holdfast.data.bounds import require_bounded
from holdfast.data.tables.sheet import Block, Cells, Sheet
from holdfast.errors import InvalidInput

BLOCK = 65536


def read_parquet(path: Path) -> Sheet:
    """Return the table in a Parquet file."""
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise InvalidInput(f"a Parquet file needs pyarrow: pip install pyarrow; got {path} and no pyarrow") from None
    try:
        about = parquet.ParquetFile(path)
    except arrow.ArrowException as error:
        raise InvalidInput(f"{path} must be a Parquet file; got {str(error).splitlines()[0]}") from None
    require_bounded(path, about.metadata.num_rows * about.metadata.num_columns * 8)

    def blocks() -> Iterator[Block]:
        first = 1
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(BLOCK):
                yield Block(range(first, first + len(batch)), [_cells(arrow, column) for column in batch.columns])
                first += len(batch)

    return Sheet(str(path), tuple(about.schema_arrow.names), blocks)


def _cells(arrow: Any, column: Any) -> Cells:
    kind = column.type
    if arrow.types.is_integer(kind) or arrow.types.is_floating(kind) or arrow.types.is_boolean(kind):
        return np.asarray(column.cast(arrow.float64()).to_numpy(zero_copy_only=False), np.float64)
    return ["" if value is None else str(value) for value in column.to_pylist()]
