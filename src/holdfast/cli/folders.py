"""Folders of results: a new one under `runs/`, or the one that `--out` names."""

import re
from datetime import datetime
from itertools import count
from pathlib import Path

from holdfast.errors import InvalidInput


def new_folder(label: str) -> Path:
    """Return a folder under `runs/` that does not exist yet."""
    plain = re.sub(r"[^\w.+-]", "-", label)
    name = f"{datetime.now():%Y%m%d-%H%M%S}-{plain}"
    candidates = (Path("runs", name if n == 1 else f"{name}-{n}") for n in count(1))
    return next(path for path in candidates if not path.exists())


def check_folder(out: Path) -> None:
    """Say before the work begins if its results could not be written."""
    nearest = next(path for path in (out, *out.parents) if path.exists())
    if not nearest.is_dir():
        raise InvalidInput(f"--out must name a folder; got {out}, and {nearest} is a file")
