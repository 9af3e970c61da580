"""The folder of compiled code: named after everything that decides what is compiled, and private to the user.

Compiled code is run as it is found. So it is only read from a folder in which nobody else can write: owned by
this user (or by root), as all folders above it are. Where that does not hold, a temporary folder is used and one line
says so.
"""

import atexit
import logging
import os
import stat
import sys
from functools import cache
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from holdfast.files import cache_folder

logger = logging.getLogger(__name__)
HERE = Path(__file__).parent
DECIDING = ("sources/*.py", "compiling.py", "networks.py")
"""Files of ours whose content decides what is compiled."""


@cache
def folder() -> Path:
    """Return where this process keeps compiled code."""
    chosen = cache_folder().absolute() / "kernels" / content_name()
    try:
        for path in (chosen.parent, chosen):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        fault = why_not_private(chosen)
    except OSError as error:
        fault = f"it cannot be made ({error.strerror})"
    if fault is None:
        return chosen
    logger.warning("compiled kernels are kept for this process only: %s is not used, %s", chosen, fault)
    return _temporary()


def content_name() -> str:
    """Return a name made of the sources and of the versions of what compiles them: another content, another folder."""
    import llvmlite
    import numba

    digest = sha256(f"{sys.version} {numba.__version__} {llvmlite.__version__}".encode())
    for path in sorted(path for pattern in DECIDING for path in HERE.glob(pattern)):
        digest.update(b"\0" + path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def why_not_private(path: Path) -> str | None:
    """Return what lets someone else change what is in this folder; None if nothing does.

    The folder and the one above it are ours and must be closed to everyone else. Those further up may be anybody's
    to read, and a group's to write, which is the default where every user has a group of their own.
    """
    if not hasattr(os, "geteuid"):  # Windows: a user's folders are the user's
        return None
    for place in (path, *path.parents):
        found = place.stat()
        ours = place in (path, path.parent)
        sticky = found.st_mode & stat.S_ISVTX and not ours
        if found.st_uid not in (os.geteuid(), 0):
            return f"{place} belongs to another user"
        if found.st_mode & (stat.S_IWOTH | (stat.S_IWGRP if ours else 0)) and not sticky:
            return f"others can write to {place}"
    return None


def _temporary() -> Path:
    """Return a private folder that is removed when this process ends."""
    made = mkdtemp(prefix="holdfast-kernels-")
    atexit.register(rmtree, made, ignore_errors=True)
    return Path(made)
