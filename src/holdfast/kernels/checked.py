"""Compiled code on disk, each file with a checksum that is compared before anything of it is used.

Numba's own cache takes what it finds: a flipped bit is a wrong number or a crash, and two processes that save at
once can swap each other's code. Here a file holds one compiled signature, its name is made of that signature and of
the processor, and its checksum stands in front of the content, so that both are replaced at once.
"""

import logging
import os
import pickle
import threading
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from numba.core import compiler, serialize

from holdfast.kernels import folders

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
        return str(folders.folder())

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
        return folders.folder() / f"{self.name}.{key}{SUFFIX}"

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
