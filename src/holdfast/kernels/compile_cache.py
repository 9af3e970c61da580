"""Compiled code on disk: found again by other processes, checked before it is run, never stale.

Numba's own cache (`cache=True`, with any `NUMBA_CACHE_DIR` or locator) cannot serve. It notices a change of the file
that holds a function, not of the functions that this one calls. It loads what it finds: a flipped bit is a wrong
number, an exception or an abort of the process. It numbers the files of a function, so two processes that save
different signatures at once can swap each other's code. And it cannot keep modules that are written in memory, as the
sorting networks are. Each of these was tried with numba 0.68.

Here the folder is named after everything that decides what is compiled. A file holds one compiled signature; its name
is made of that signature and of the processor, and its checksum stands in front of the content. Compiled code is run as
it is found, so the folder must be private: owned by this user (or by root), as all folders above it are, and closed to
other users. Where that does not hold, a temporary folder is used, and one line says so.
"""

import atexit
import logging
import os
import pickle
import stat
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

from filelock import FileLock, Timeout
from numba import njit
from numba.core import compiler, serialize

from holdfast.files import cache_folder

logger = logging.getLogger(__name__)
HERE = Path(__file__).parent
DECIDING = ("sources/*.py", "compile_cache.py", "sorting_networks.py")
"""Files of ours whose content decides what is compiled."""
SUFFIX = ".nbc"
PATIENCE = 60.0
"""Seconds to wait for another process that compiles the same function."""
_rebuild: Callable[..., Any] = compiler.CompileResult._rebuild
_dump: Callable[[object], bytes] = serialize.dumps  # knows the functions and types that compiled code refers to
_warned = threading.Event()


def jit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function when it is first called, or load what an earlier process compiled.

    The function releases the interpreter's lock and divides as NumPy does. Without options it rounds as it is written:
    nothing is fused and no sum is reordered.
    """
    if function is None:
        return lambda function: jit(function, **options)
    dispatcher = njit(nogil=True, error_model="numpy", **options)(function)
    if dispatcher is not function:  # NUMBA_DISABLE_JIT leaves it as it is
        dispatcher._cache = CheckedCache(function)
    return dispatcher


class CheckedCache:
    """What a numba dispatcher asks for compiled code, in place of numba's own `FunctionCache`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._locks: dict[Path, FileLock] = {}
        self._name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"

    @property
    def cache_path(self) -> str:
        return str(folder())

    def load_overload(self, signature: object, target: Any) -> Any:
        """Return the compiled function of these types; None if there is none, or none that is whole.

        If another process compiles the function, wait for the result.
        """
        target.refresh()
        path = self._path(signature, target.codegen())
        found = self._load(path, target)
        if found is None:
            self._lock(path)
            found = self._load(path, target)  # the process that held the lock may have saved it
            if found is not None:
                self._unlock(path)
        return found

    def _load(self, path: Path, target: Any) -> Any:
        try:
            return _rebuild(target, *pickle.loads(read_sealed(path)))
        except FileNotFoundError:
            return None
        except Exception:  # whatever is wrong with the file, it can be made again
            if not _warned.is_set():
                _warned.set()
                logger.warning("a compiled kernel is damaged and is compiled again: %s", path)
            return None

    def save_overload(self, signature: object, result: Any) -> None:
        """Save a compiled function, if the folder can be written to."""
        path, content = self._path(signature, result.codegen), _dump(result._reduce())
        with suppress(OSError):
            write_sealed(path, content)
        self._unlock(path)

    def _lock(self, path: Path) -> None:
        """Let one process compile a function while others wait for it.

        There is no deadlock: a process waits only for functions that its own function calls. The lock of a process
        that died is free. After PATIENCE seconds a process compiles the function itself.
        """
        if path not in self._locks:
            lock = FileLock(path.with_name(f".{path.name}.lock"), timeout=PATIENCE)
            with suppress(OSError, Timeout):
                lock.acquire()
                self._locks[path] = lock

    def _unlock(self, path: Path) -> None:
        if lock := self._locks.pop(path, None):
            lock.release()
            Path(lock.lock_file).unlink(missing_ok=True)

    def _path(self, signature: object, codegen: Any) -> Path:
        key = sha256(str((signature, codegen.magic_tuple())).encode()).hexdigest()[:24]
        return folder() / f"{self._name}.{key}{SUFFIX}"

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None: ...


def read_sealed(path: Path) -> bytes:
    """Return the content of a file after comparing it with its checksum."""
    sealed = path.read_bytes()
    content = sealed[32:]
    if sealed[:32] != _checksum(path, content):
        raise ValueError(f"the checksum of {path} must be that of its content")
    return content


def write_sealed(path: Path, content: bytes) -> None:
    """Write content and checksum at once. The disk is not synced: what a crash leaves behind fails the checksum."""
    part = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.part")
    try:
        part.write_bytes(_checksum(path, content) + content)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _checksum(path: Path, content: bytes) -> bytes:
    """Return the checksum of content and name: a file in another's place is damage."""
    return sha256(path.name.encode() + b"\0" + content).digest()


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
    return _temporary_folder()


def content_name() -> str:
    """Return a name made of the sources and of the versions of what compiles them: another content, another folder."""
    import llvmlite
    import numba

    digest = sha256(f"{sys.version} {numba.__version__} {llvmlite.__version__}".encode())
    for path in sorted(path for pattern in DECIDING for path in HERE.glob(pattern)):
        digest.update(b"\0" + path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def why_not_private(path: Path) -> str | None:
    """Return what lets another user change the content of this folder; None if nothing does.

    The folder and the one above it are ours and must be closed to all other users. Folders further up may be readable
    for all and writable for a group, which is the default where every user has a group of their own.
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


def _temporary_folder() -> Path:
    """Return a private folder that is removed when this process ends."""
    path = mkdtemp(prefix="holdfast-kernels-")
    atexit.register(rmtree, path, ignore_errors=True)
    return Path(path)
