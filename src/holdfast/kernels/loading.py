"""Where compiled code comes from.

The sources are copied to a folder of the user's cache that is named after their content, and imported
from there. So what one process compiled is found by the next, by another installation and by one that
is read-only; any change of any source leads to a new folder, never to stale code; and the sorting
networks, which are written when they are first needed, live beside the rest. Nothing is compiled before
it is called.
"""

import atexit
import importlib
import os
import sys
import threading
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from shutil import copytree, rmtree
from tempfile import mkdtemp
from types import ModuleType

import numba

from holdfast.files import cache_folder, write_atomic
from holdfast.kernels import networks

SOURCES = Path(__file__).parent / "sources"
COMPILED = "__pycache__/*.nbc"


_one_at_a_time = threading.RLock()
"""Threads may ask for the same module at once; the first writes and imports it."""


@cache
def kernels(module: str) -> ModuleType:
    """Return the compiled module of this name."""
    with _one_at_a_time:
        return importlib.import_module(f"{_package().__name__}.{module}")


@cache
def ranks_kernel(n: int, wanted: range) -> ModuleType:
    """Return the module that averages these ranks of n rows; write it first if need be."""
    return _written(f"ranks_{n}_{wanted.start}_{wanted.stop}_{wanted.step}", lambda: networks.source(n, wanted))


@cache
def nearest_kernel(n: int, middle: range, nearest: int) -> ModuleType:
    """Return the module that averages of n rows' values those nearest to a centre; write it first if need be."""
    name = f"nearest_{n}_{middle.start}_{middle.stop}_{nearest}"
    return _written(name, lambda: networks.nearest_source(n, middle, nearest))


def _written(name: str, source: Callable[[], str]) -> ModuleType:
    with _one_at_a_time:
        path = _folder() / f"{name}.py"
        if not path.exists():
            write_atomic(path, source().encode())
            importlib.invalidate_caches()
        return kernels(name)


def _silently() -> None: ...


announce: Callable[[], None] = _silently
"""Called before anything is compiled on a machine for the first time; a command may say so to its user."""


@cache
def _package() -> ModuleType:
    folder = _folder()
    if not any(folder.glob(COMPILED)):
        announce()
    name = f"holdfast_kernels_{folder.name}"
    spec = spec_from_file_location(name, folder / "__init__.py", submodule_search_locations=[str(folder)])
    if spec is None or spec.loader is None:
        raise ImportError(f"the kernels in {folder} cannot be imported")
    package = module_from_spec(spec)
    sys.modules[name] = package
    spec.loader.exec_module(package)
    return package


@cache
def _folder() -> Path:
    texts = {path.name: path.read_bytes() for path in sorted(SOURCES.glob("*.py"))}
    networks_text = Path(networks.__file__).read_bytes()
    version = f"{numba.__version__} {sys.version}".encode()
    name = sha256(b"\0".join([version, networks_text, *texts.values()])).hexdigest()[:16]
    folder = cache_folder() / "kernels" / name
    try:
        _copy(texts, folder)
    except OSError:
        return _temporary(texts, folder)
    return folder if os.access(folder, os.W_OK) else _temporary(texts, folder)


def _temporary(texts: dict[str, bytes], folder: Path) -> Path:
    """Return a folder for this process only, with what is compiled already in one that cannot be written to."""
    parent = mkdtemp(prefix="holdfast-kernels-")
    atexit.register(rmtree, parent, ignore_errors=True)
    copy = Path(parent, folder.name)
    if folder.is_dir():
        copytree(folder, copy)
    _copy(texts, copy)
    return copy


def _copy(texts: dict[str, bytes], folder: Path) -> None:
    for name, text in texts.items():
        if not (folder / name).exists():
            write_atomic(folder / name, text)
