"""A Ray of our own that nobody else can use: a secret token, and ports on this machine only.

Ray's settings for this are read when it is imported or are not public; the version is pinned for that, too.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib import import_module
from secrets import token_hex
from typing import Any


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
