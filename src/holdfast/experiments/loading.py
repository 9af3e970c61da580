"""Data that are read once, as long as they stay as they are."""

from functools import lru_cache
from pathlib import Path
from typing import Any

from holdfast.data import REGISTRY, Dataset, Table, load

Version = tuple[tuple[int, int], ...]


def loaded(data: Any) -> Dataset:
    """Return the data set, again from memory if it is the one last asked for."""
    return _loaded(data, version_of(data))


def version_of(data: Any) -> Version:
    """Return when and how long the files of data were written: a changed one is another one."""
    if isinstance(data, Table):
        files = [file for file in (data.path, data.test) if file is not None]
    else:
        files = [data] if isinstance(data, str) and data not in REGISTRY else []
    try:
        return tuple((about.st_mtime_ns, about.st_size) for about in (Path(file).stat() for file in files))
    except (OSError, ValueError):  # loading says what is wrong with it
        return ()


def forget_data() -> None:
    """Let go of what is kept in memory."""
    _loaded.cache_clear()


@lru_cache(maxsize=1)
def _loaded(data: Any, version: Version) -> Dataset:
    return load(data)
