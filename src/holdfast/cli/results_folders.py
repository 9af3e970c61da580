"""Folders of results: a new one under `runs/`, or that of `--out`. One process at a time owns a folder."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import count
from pathlib import Path

from holdfast.errors import InvalidInput
from holdfast.files import LOCK, Owner, check_writable, reason


def claim_folder(label: str) -> Path:
    """Make a new folder under `runs/` and return it; of processes at the same second, each gets a name of its own."""
    plain = re.sub(r"[^\w.+-]", "-", label)[:100]
    name = f"{datetime.now():%Y%m%d-%H%M%S}-{plain}"
    for n in count(1):
        path = Path("runs", name if n == 1 else f"{name}-{n}")
        with _refuse_errors(path), suppress(FileExistsError):
            path.parent.mkdir(exist_ok=True)
            path.mkdir()
            return path
    raise AssertionError  # count never ends


@contextmanager
def results_folder(out: Path | None, label: str) -> Iterator[Path]:
    """Own the folder of a command's results while entered: `out`, else a new one under `runs/`.

    A folder that cannot be written is refused before the work begins. A folder that stays empty is removed.
    """
    with _refuse_errors(out or Path("runs")):
        check_writable(out or Path("runs"))
    missing = _list_missing(out or Path("runs"))
    folder = out or claim_folder(label)
    with _refuse_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        unlocked = not (folder / LOCK).exists()
        owner = Owner(folder)
    try:
        with owner:
            yield folder
    finally:
        if unlocked:
            _remove_empty(folder, missing if out else [*missing, folder])


def _list_missing(folder: Path) -> list[Path]:
    """Return the folder and its parents that do not exist, outermost first."""
    return [path for path in reversed((folder, *folder.parents)) if not path.exists()]


def holds_nothing(folder: Path) -> bool:
    """Return whether an owned folder holds no results."""
    return os.listdir(folder) == [LOCK]


def _remove_empty(folder: Path, made: list[Path]) -> None:
    with suppress(OSError):
        if holds_nothing(folder):
            (folder / LOCK).unlink()
            for path in reversed(made):
                path.rmdir()


@contextmanager
def _refuse_errors(out: Path) -> Iterator[None]:
    try:
        yield
    except NotADirectoryError as error:
        raise InvalidInput(f"--out must name a folder; got {out}, and {error.filename} is a file") from None
    except FileExistsError:
        raise InvalidInput(f"--out must name a folder; got {out}, which is a file") from None
    except OSError as error:
        raise InvalidInput(f"--out must name a folder that can be written; got {out}: {reason(error)}") from None
