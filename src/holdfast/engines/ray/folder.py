"""A folder for Ray's sockets and logs that only this user can enter; /tmp/ray is open to everybody."""

import atexit
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from time import time

from holdfast.errors import InvalidInput
from holdfast.files import Owner

PREFIX = "holdfast-ray-"
STALE = 60.0
"""Seconds after which a folder that nobody has locked is one that a killed run left behind."""


@contextmanager
def private_folder() -> Iterator[str]:
    """Make a folder and remove it at the end, and those that killed runs left behind.

    Ray opens to all users what it is given, so it is given a folder inside.
    """
    short = "/tmp" if sys.platform != "win32" else None  # the path of a socket has about 100 characters
    outside = Path(tempfile.mkdtemp(prefix=PREFIX, dir=short))
    remove = partial(shutil.rmtree, outside, ignore_errors=True)
    atexit.register(remove)  # where this process ends before a Ray that was given up
    try:
        with Owner(outside):
            _sweep(outside)
            inside = outside / "ray"
            inside.mkdir()
            yield str(inside)
    finally:
        remove()
        atexit.unregister(remove)


def _sweep(ours: Path) -> None:
    """Remove this user's other folders of the kind, unless somebody uses them."""
    for left in ours.parent.glob(f"{PREFIX}*"):
        with suppress(OSError, InvalidInput):
            found = left.lstat()
            of_user = stat.S_ISDIR(found.st_mode) and found.st_uid == ours.stat().st_uid
            if left != ours and of_user and time() - found.st_mtime > STALE:
                with Owner(left):
                    shutil.rmtree(left, ignore_errors=True)
