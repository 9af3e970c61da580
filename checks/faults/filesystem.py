"""The file system as a child process sees it, with a fault at one of its calls.

Every call of `os`, `fcntl` and of opened files that concerns a watched folder is counted. At the k-th, the process is
killed, or the call fails, or a write writes half of its bytes and then the process is killed.
"""

import builtins
import errno
import fcntl
import io
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BY_PATH = ("open", "mkdir", "replace", "rename", "unlink", "remove", "rmdir", "scandir", "listdir", "stat", "lstat")
BY_NUMBER = ("fsync", "write", "close", "ftruncate")
OF_FILES = ("write", "flush", "close", "read")
NEEDS_SPACE = {"open", "mkdir", "write", "flush", "fsync", "replace", "rename", "ftruncate"}


@dataclass
class Fault:
    """What happens at the k-th call: `kill`, `tear` (a write, then kill) or the number of an error."""

    at: int
    kind: str | int
    folder: Path
    seen: list[str] = field(default_factory=list)

    def install(self) -> None:
        """Let this process meet the fault."""
        self._folder, self._numbers = os.path.abspath(self.folder), set[int]()
        for name in BY_PATH:
            setattr(os, name, self._by_path(name, getattr(os, name)))
        for name in BY_NUMBER:
            setattr(os, name, self._by_number(name, getattr(os, name)))
        fcntl.flock = self._by_number("flock", fcntl.flock)
        io.open = builtins.open = self._opening(io.open)

    def _concerns(self, path: Any) -> bool:
        try:
            return str(os.path.abspath(os.fspath(path))).startswith(self._folder)
        except TypeError:
            return path in self._numbers

    def _meet(self, name: str, torn: Callable[[], object] | None = None) -> None:
        self.seen.append(name)
        if len(self.seen) == self.at and isinstance(self.kind, str):
            if self.kind == "tear" and torn:
                torn()
            os.kill(os.getpid(), signal.SIGKILL)
        full = self.kind == errno.ENOSPC and len(self.seen) > self.at and name in NEEDS_SPACE  # a full disk stays full
        if isinstance(self.kind, int) and (len(self.seen) == self.at or full):
            raise OSError(self.kind, os.strerror(self.kind))

    def _by_path(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def met(path: Any = ".", *rest: Any, **options: Any) -> Any:
            if not self._concerns(path):
                return call(path, *rest, **options)
            self._meet(name)
            found = call(path, *rest, **options)
            if name == "open":
                self._numbers.add(found)
            return found

        return met

    def _by_number(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def met(number: Any, *rest: Any) -> Any:
            if number not in self._numbers:
                return call(number, *rest)
            if name == "close":
                self._numbers.discard(number)
            self._meet(name)
            return call(number, *rest)

        return met

    def _opening(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def met(path: Any, *rest: Any, **options: Any) -> Any:
            if not self._concerns(path) or isinstance(path, int):
                return call(path, *rest, **options)
            self._meet("open")
            file = call(path, *rest, **options)
            self._numbers.add(file.fileno())
            return _File(file, self)

        return met


class _File:
    """A file whose calls are counted."""

    def __init__(self, file: Any, fault: Fault) -> None:
        self._file, self._fault = file, fault

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._file, name)
        if name not in OF_FILES or self._file.closed:
            return found

        def met(*given: Any) -> Any:
            if name == "close":
                self._fault._numbers.discard(self._file.fileno())
            self._fault._meet(name, (lambda: self._tear(given[0])) if name == "write" else None)
            return found(*given)

        return met

    def _tear(self, content: Any) -> None:
        self._file.write(content[: len(content) // 2])
        self._file.flush()

    def __enter__(self) -> "_File":
        return self

    def __exit__(self, *about: object) -> None:
        self.close()

    def __iter__(self) -> Any:
        return iter(self._file)
