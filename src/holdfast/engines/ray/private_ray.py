"""A Ray of our own that no other user can reach: a secret token, ports on loopback, a private folder.

Ray reads these settings at import, or keeps them out of its public interface; its version is pinned for that, too.
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

PREFIX = "holdfast-ray-"
STALE = 60.0
"""Seconds after which an unlocked folder counts as left behind by a killed run."""


@contextmanager
def require_token() -> Iterator[None]:
    """Have Ray require a token that only this process and its children know.

    A user who has set RAY_AUTH_MODE has decided already. Ray reads these variables at import, which may be long ago:
    so Ray is made to read them again here, and once more after they are reset.
    """
    if "RAY_AUTH_MODE" in os.environ:
        yield
        return
    with ExitStack() as undo:
        undo.callback(_reload_settings)
        undo.enter_context(_set_environment({"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token_hex(32)}))
        _reload_settings()
        yield


def _reload_settings() -> None:
    raylet = import_module("ray._raylet")
    raylet.AuthenticationTokenLoader.instance().reset_cache()
    raylet.Config.initialize("")


@contextmanager
def _set_environment(values: Mapping[str, str]) -> Iterator[None]:
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
def bind_loopback() -> Iterator[None]:
    """Have Ray bind its ports to 127.0.0.1, as it does where clusters are disabled."""
    constants: Any = import_module("ray._private.ray_constants")
    before, constants.ENABLE_RAY_CLUSTER = constants.ENABLE_RAY_CLUSTER, False
    try:
        yield
    finally:
        constants.ENABLE_RAY_CLUSTER = before


@contextmanager
def private_folder() -> Iterator[str]:
    """Make a folder for Ray's sockets and logs, and remove it at the end, with those of killed runs.

    Only this user can enter the folder; /tmp/ray is open to all. Ray opens its own folder to all users, so Ray gets
    a folder inside.
    """
    short = "/tmp" if sys.platform != "win32" else None  # the path of a socket has about 100 characters
    outside = Path(tempfile.mkdtemp(prefix=PREFIX, dir=short))
    remove = partial(shutil.rmtree, outside, ignore_errors=True)
    atexit.register(remove)  # for a process that ends before the Ray that it gave up
    try:
        with Owner(outside):
            _sweep(outside)
            inside = outside / "ray"
            inside.mkdir()
            yield str(inside)
    finally:
        remove()
        atexit.unregister(remove)


def _sweep(own: Path) -> None:
    """Remove this user's other folders of the kind, unless they are in use."""
    for other in own.parent.glob(f"{PREFIX}*"):
        with suppress(OSError, InvalidInput):
            about = other.lstat()
            of_user = stat.S_ISDIR(about.st_mode) and about.st_uid == own.stat().st_uid
            if other != own and of_user and time() - about.st_mtime > STALE:
                with Owner(other):
                    shutil.rmtree(other, ignore_errors=True)
