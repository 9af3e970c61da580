"""The folder of compiled code: named after everything that decides what is compiled, and private to the user.

Compiled code is run as it is found. So it is only read from a folder in which nobody else can write: owned by
this user (or by root), as all folders above it are. Where that does not hold, a temporary folder is used and one line
says so.
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


logger = logging.getLogger(__name__)
SUFFIX = ".nbc"
PATIENCE = 60.0
"""Seconds to wait for another process that compiles the same."""
_restored: Callable[..., Any] = compiler.CompileResult._rebuild
_pickled: Callable[[object], bytes] = serialize.dumps  # knows the functions and types that compiled code refers to
_complained = threading.Event()


class CheckedCache:
    """What a numba dispatcher asks for compiled code, in place of numba's own `FunctionCache`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.turns: dict[Path, FileLock] = {}
        self.name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"

    @property
    def cache_path(self) -> str:
        return str(folder())

    def load_overload(self, signature: object, target: Any) -> Any:
        """Return the compiled function of these types; None if there is none, or none that is whole.

        Where another process is compiling it, its result is waited for.
        """
        target.refresh()
        path = self._path(signature, target.codegen())
        found = self._loaded(path, target)
        if found is None:
            self._take_turn(path)
            found = self._loaded(path, target)  # who had the turn may have saved it
            if found is not None:
                self._end_turn(path)
        return found

    def _loaded(self, path: Path, target: Any) -> Any:
        try:
            return _restored(target, *pickle.loads(unsealed(path)))
        except FileNotFoundError:
            return None
        except Exception:  # whatever is wrong with the file, it can be made again
            if not _complained.is_set():
                _complained.set()
                logger.warning("a compiled kernel is damaged and is compiled again: %s", path)
            return None

    def save_overload(self, signature: object, result: Any) -> None:
        """Keep a compiled function, if the folder can be written to."""
        path, content = self._path(signature, result.codegen), _pickled(result._reduce())
        with suppress(OSError):
            seal(path, content)
        self._end_turn(path)

    def _take_turn(self, path: Path) -> None:
        """Wait until nobody else compiles this, and let others wait until it is saved.

        Nobody waits in a circle: who compiles waits only for what it calls. Who died has no turn any more; of who
        takes too long the others lose patience, compile the same, and nothing else is lost.
        """
        if path not in self.turns:
            turn = FileLock(path.with_name(f".{path.name}.lock"), timeout=PATIENCE)
            with suppress(OSError, Timeout):
                turn.acquire()
                self.turns[path] = turn

    def _end_turn(self, path: Path) -> None:
        if turn := self.turns.pop(path, None):
            turn.release()
            Path(turn.lock_file).unlink(missing_ok=True)

    def _path(self, signature: object, codegen: Any) -> Path:
        key = sha256(str((signature, codegen.magic_tuple())).encode()).hexdigest()[:24]
        return folder() / f"{self.name}.{key}{SUFFIX}"

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None: ...


def unsealed(path: Path) -> bytes:
    """Return the content of a file after comparing it with its checksum."""
    sealed = path.read_bytes()
    content = sealed[32:]
    if sealed[:32] != _checksum(path, content):
        raise ValueError(f"the checksum of {path} must be that of its content")
    return content


def seal(path: Path, content: bytes) -> None:
    """Write content and checksum at once. Not waiting for the disk: what a crash leaves behind fails the checksum."""
    part = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.part")
    try:
        part.write_bytes(_checksum(path, content) + content)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _checksum(path: Path, content: bytes) -> bytes:
    """Of the name, too: a file in another's place is damage."""
    return sha256(path.name.encode() + b"\0" + content).digest()


def compiled(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function when it is first called, or load what an earlier process compiled.

    It lets go of the interpreter's lock, divides as NumPy does, and rounds as it is written: without options
    nothing is fused and no sum is reordered.
    """
    if function is None:
        return lambda function: compiled(function, **options)
    dispatcher = njit(nogil=True, error_model="numpy", **options)(function)
    if hasattr(dispatcher, "_cache"):  # not where numba is switched off
        dispatcher._cache = CheckedCache(function)
    return dispatcher
