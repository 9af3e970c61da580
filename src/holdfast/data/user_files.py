"""Files of the user's own: what can be read, how much of it, and arrays in an .npz file."""

import os
import zlib
from collections.abc import Callable, Sequence
from math import prod
from pathlib import Path
from typing import Any, TypeVar
from zipfile import BadZipFile

import numpy as np

from holdfast.data.dataset import Dataset
from holdfast.errors import InvalidInput
from holdfast.files import reason
from holdfast.typing import Features, Targets

T = TypeVar("T")
MOST_BYTES = 4 * 2**30
"""The largest decoded file; `$HOLDFAST_MAX_BYTES` sets another bound."""


def require_bounded(path: Path | str, size: int) -> None:
    """Refuse a file that is too large, before it fills the memory."""
    given = os.environ.get("HOLDFAST_MAX_BYTES")
    if given is not None and not given.isdecimal():
        raise InvalidInput(f"HOLDFAST_MAX_BYTES must be a whole number of bytes; got {given!r}")
    most = MOST_BYTES if given is None else int(given)
    if size > most:
        raise InvalidInput(f"{path} must hold at most {most} bytes of data (HOLDFAST_MAX_BYTES); got {size}")


def read_file(path: Path, read: Callable[[Path], T]) -> T:
    """Return what `read` makes of a file; refuse a path that cannot be read."""
    try:
        if not path.is_file():
            raise InvalidInput(f"--data must name a data set or a file; got {str(path)!r}, which is no file")
        return read(path)
    except OSError as error:
        raise InvalidInput(f"--data must name a readable file; got {str(path)!r}: {reason(error)}") from None


ODD_ZIP = (NotImplementedError, RuntimeError, OverflowError)
"""Errors of an archive that is encrypted, packed by an unknown method, or wrong about its sizes."""


SETS = (("x_train", "y_train", "x_test", "y_test"), ("x", "y"))
"""Names of arrays in an .npz file; other arrays are not read."""


def from_file(path: Path) -> Dataset:
    """Read `x_train, y_train, x_test, y_test` or `x, y` from an .npz file.

    Without test samples of its own, a fifth of the samples is held out, always the same ones.
    """
    return read_file(path, _read_npz)


def _read_npz(path: Path) -> Dataset:
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            names = getattr(file, "files", None)  # an .npy file has none
            if names is None:
                raise ValueError("a single array")
            asked: Sequence[str] = next((each for each in SETS if {*each} <= {*names}), ())
            require_bounded(path, sum(_measure(file, name) for name in asked))
            arrays = {name: np.asarray(file[name]) for name in asked}
    except InvalidInput:
        raise
    except (EOFError, TypeError, AttributeError, KeyError, ValueError, BadZipFile, zlib.error, *ODD_ZIP) as error:
        raise InvalidInput(f"{path} must be an .npz file of plain arrays; got {error or 'an empty file'}") from None
    if "x_train" in arrays:
        train = _check(path, arrays["x_train"], arrays["y_train"])
        test = _check(path, arrays["x_test"], arrays["y_test"])
        if train[0].shape[1:] != test[0].shape[1:]:
            raise InvalidInput(
                f"{path} must have features of one shape for testing and training; "
                f"got {test[0].shape[1:]} and {train[0].shape[1:]}"
            )
        return Dataset(str(path), *train, *test)
    if "x" in arrays:
        return Dataset.split(str(path), *_check(path, arrays["x"], arrays["y"]))
    raise InvalidInput(
        f"{path} must hold x_train, y_train, x_test and y_test, or x and y; got {', '.join(names) or 'nothing'}"
    )


def _measure(file: Any, name: str) -> int:
    """Return how many bytes an array of an .npz file takes, from its header alone; refuse what is no array."""
    member = name if name in file.zip.namelist() else f"{name}.npy"
    with file.zip.open(member) as opened:
        try:
            version = np.lib.format.read_magic(opened)
            read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, _, dtype = read(opened)
        except ValueError:
            raise ValueError(f"{name}, which is no array") from None
        size: int = prod(shape) * dtype.itemsize
        if not dtype.hasobject and size != file.zip.getinfo(member).file_size - opened.tell():
            raise ValueError(f"{name}, which is not as long as it says")
    return size


def _check(path: Path, features: Features, targets: Targets) -> tuple[Features, Targets]:
    """Return features `(N, ...)` (bytes or floats) and targets `(N,)`, or say what is wrong with them."""
    if targets.ndim != 1 or features.ndim < 2 or len(features) != len(targets):
        raise InvalidInput(
            f"{path} must have one target for each row of features; got shapes {features.shape} and {targets.shape}"
        )
    if len(targets) < 2:
        raise InvalidInput(f"{path} must hold at least 2 samples; got {len(targets)}")
    for name, array in (("features", features), ("targets", targets)):
        if array.dtype.kind not in "biuf":
            raise InvalidInput(f"{path} must hold numbers; got {name} of type {array.dtype}")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            row = int(np.argwhere(~np.isfinite(array))[0, 0])
            raise InvalidInput(f"{path} must hold finite numbers; got NaN or infinity in {name}, sample {row + 1}")
    if features.dtype.kind == "b":
        features = features.astype(np.uint8)
    elif features.dtype not in (np.uint8, np.float32, np.float64):
        features = features.astype(np.float64)
    return features, targets
