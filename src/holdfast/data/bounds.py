"""How much is read of a file at most."""

import os
from pathlib import Path

from holdfast.errors import InvalidInput

MOST_BYTES = 4 * 2**30
"""The most that is read of a file, decoded; `$HOLDFAST_MAX_BYTES` sets another bound."""


def require_bounded(path: Path | str, size: int) -> None:
    """Refuse to read more than is allowed, before it fills the memory."""
    given = os.environ.get("HOLDFAST_MAX_BYTES")
    if given is not None and not given.isdecimal():
        raise InvalidInput(f"HOLDFAST_MAX_BYTES must be a whole number of bytes; got {given!r}")
    most = MOST_BYTES if given is None else int(given)
    if size > most:
        raise InvalidInput(f"{path} must hold at most {most} bytes of data (HOLDFAST_MAX_BYTES); got {size}")
