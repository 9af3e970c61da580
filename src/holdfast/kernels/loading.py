"""Where compiled code comes from.

The sources are ordinary modules of this package; the sorting networks are modules that are written, in memory, when
they are first needed. `compile_cache` keeps what is compiled of them. Nothing is compiled before it is called.
"""

import importlib
import logging
import sys
import threading
from collections.abc import Callable
from functools import cache
from types import ModuleType

from holdfast.kernels import compile_cache, sorting_networks

logger = logging.getLogger(__name__)
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
    return _write_module(
        f"ranks_{n}_{wanted.start}_{wanted.stop}_{wanted.step}", lambda: sorting_networks.source(n, wanted)
    )


@cache
def nearest_kernel(n: int, middle: range, nearest: int) -> ModuleType:
    """Return the module that averages, of n rows' values, those nearest to a centre, written first."""
    name = f"nearest_{n}_{middle.start}_{middle.stop}_{nearest}"
    return _write_module(name, lambda: sorting_networks.nearest_source(n, middle, nearest))


def _write_module(name: str, source: Callable[[], str]) -> ModuleType:
    """Return a module whose source is written when it is first asked for."""
    full = f"{PACKAGE}.{name}"
    with _one_at_a_time:
        _announce_once()
        if full not in sys.modules:
            module = ModuleType(full)
            module.__package__ = PACKAGE
            exec(compile(source(), f"<{full}>", "exec"), vars(module))
            sys.modules[full] = module  # numba imports the modules of what it loads by their names
        return sys.modules[full]


@cache
def _announce_once() -> None:
    """Log a line before anything is compiled on a machine for the first time."""
    if is_first_compilation():
        logger.info("compiling kernels for this machine, once; up to half a minute")


def is_first_compilation() -> bool:
    """Return whether nothing is compiled on this machine yet."""
    return not any(compile_cache.folder().glob(f"*{compile_cache.SUFFIX}"))
