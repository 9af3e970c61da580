"""Where compiled code comes from.

The sources are ordinary modules of this package; the sorting networks are modules that are written, in memory, when
they are first needed. What is compiled of them is kept in a folder named after their content (`folders`), in files
that are checked before they are used (`checked`). So what one process compiled is found by the next and by another
installation, and any change of any source leads to a new folder, never to stale code. Nothing is compiled before it
is called.
"""

import importlib
import sys
import threading
from collections.abc import Callable
from functools import cache
from types import ModuleType

from holdfast.kernels import checked, folders, networks

PACKAGE = f"{__package__}.sources"

_one_at_a_time = threading.RLock()
"""Threads may ask for the same module at once; the first imports it."""


@cache
def kernels(module: str) -> ModuleType:
    """Return the compiled module of this name."""
    with _one_at_a_time:
        _announce_once()
        return importlib.import_module(f"{PACKAGE}.{module}")


@cache
def ranks_kernel(n: int, wanted: range) -> ModuleType:
    """Return the module that averages these ranks of n rows, written first."""
    name = f"{PACKAGE}.ranks_{n}_{wanted.start}_{wanted.stop}_{wanted.step}"
    with _one_at_a_time:
        _announce_once()
        if name not in sys.modules:
            module = ModuleType(name)
            module.__package__ = PACKAGE
            exec(compile(networks.source(n, wanted), f"<{name}>", "exec"), vars(module))
            sys.modules[name] = module  # numba imports the modules of what it loads by their names
        return sys.modules[name]


def _silently() -> None: ...


announce: Callable[[], None] = _silently
"""Called before anything is compiled on a machine for the first time; a command may say so to its user."""


@cache
def _announce_once() -> None:
    if nothing_compiled():
        announce()


def nothing_compiled() -> bool:
    """Return whether this machine compiles for the first time."""
    return not any(folders.folder().glob(f"*{checked.SUFFIX}"))
