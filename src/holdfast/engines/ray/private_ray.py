"""A Ray of our own that no other user can reach: a token, ports on loopback, a private folder.

Ray reads these settings at import, or keeps them private; the version is pinned for that, too.
"""

import atexit
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from secrets import token_hex
from time import time
from typing import Any

from holdfast.errors import InvalidInput
from holdfast.files import Owner


@contextmanager
def asking_for_a_token() -> Iterator[None]:
    """Have Ray ask everybody for a token that only this process and those it starts know.

    Whoever has set RAY_AUTH_MODE has decided, and is left alone. Ray reads these variables when it is imported, which
    may be long ago: it is made to read them again, and once more when they are as they were.
    """
    if "RAY_AUTH_MODE" in os.environ:
        yield
        return
    with ExitStack() as undo:
        undo.callback(_read_again)
        undo.enter_context(_environment({"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token_hex(32)}))
        _read_again()
        yield


def _read_again() -> None:
    raylet = import_module("ray._raylet")
    raylet.AuthenticationTokenLoader.instance().reset_cache()
    raylet.Config.initialize("")


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


@contextmanager
def on_loopback() -> Iterator[None]:
    """Have Ray bind its ports to 127.0.0.1, as it does where it knows no clusters; else it takes another address."""
    constants: Any = import_module("ray._private.ray_constants")
    before, constants.ENABLE_RAY_CLUSTER = constants.ENABLE_RAY_CLUSTER, False
    try:
        yield
    finally:
        constants.ENABLE_RAY_CLUSTER = before


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
