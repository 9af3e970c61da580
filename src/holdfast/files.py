"""Files that are either whole or absent, file names, folders with one owner, and the user's cache folder."""

import errno
import os
import re
import tempfile
import threading
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from contextlib import suppress
from hashlib import sha256
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Self

from holdfast.errors import InvalidInput

LOCK = ".lock"


def write_atomic(path: Path, content: bytes, *, parents: bool = True) -> None:
    """Write a file so that a reader, or a crash at any moment, finds the old one or the new one, whole.

    When this returns the new one survives a loss of power. With `parents`, folders that are missing are made.
    """
    if parents:
        path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        sync_folder(path.parent)
    except BaseException as error:
        if isinstance(error, OSError):
            error.filename = str(path)  # writing and syncing name no file
        with suppress(OSError):  # the first error is the one to report
            part.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a loss of power, where the system can."""
    if os.name != "posix":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # not every file system syncs folders
            raise
    finally:
        os.close(number)


def sweep(folder: Path, names: Collection[str] = ("",)) -> None:
    """Remove half-written files that killed writers left behind, of all files or of those with these names."""
    for name in os.listdir(folder):
        if any(is_half_written(name, of) for of in names):
            (folder / name).unlink(missing_ok=True)


def is_half_written(name: str, of: str) -> bool:
    """Return whether a file of this name is half of the file `of`, left by a killed writer."""
    return name.startswith(f".{of}") and name.endswith(".part")


class Closing(ABC):
    """Something to close, at the latest where its `with` ends."""

    @abstractmethod
    def close(self) -> None:
        """Give back what is held."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Owner(Closing):
    """The one process that may write to a folder, until it is closed or dies: the lock is the system's and dies too.

    The folder must be there. What is locked is a file `.lock` in it, which stays.
    """

    def __init__(self, folder: Path) -> None:
        from filelock import FileLock, Timeout

        self.folder = folder
        self._lock = FileLock(folder / LOCK, timeout=0, thread_local=False)
        try:
            self._lock.acquire()
        except Timeout:
            raise InvalidInput(f"a folder is used by one process at a time; got {folder}, which is in use") from None
        self._identity = self._look()

    def _look(self) -> tuple[int, int]:
        found = (self.folder / LOCK).stat()
        return found.st_dev, found.st_ino

    def check(self) -> None:
        """Raise OSError if the folder that was locked is no longer there, even if another one has its name."""
        try:
            same = self._look() == self._identity
        except (FileNotFoundError, NotADirectoryError):
            same = False
        if not same:
            raise FileNotFoundError(errno.ENOENT, "it was deleted or moved", str(self.folder))

    def close(self) -> None:
        self._lock.release()


def check_writable(folder: Path) -> None:
    """Raise OSError if nothing could be written to a folder, which need not exist yet; leave it as it is."""
    nearest = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    if not nearest.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(nearest))
    with tempfile.TemporaryFile(dir=nearest) as file:
        file.write(bytes(4096))  # a full disk still takes an empty file
        file.flush()
        os.fsync(file.fileno())


def content_of(path: Path) -> bytes | None:
    """Return what a file holds, or None if there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InvalidInput(f"the files of a run must be readable; got {path}: {reason(error)}") from None


def reason(error: OSError) -> str:
    """Return why a file could not be read or written, in a few words."""
    return error.strerror or str(error) or type(error).__name__


def cache_folder() -> Path:
    """Return where fetched data are kept: `$HOLDFAST_CACHE`, else the system's cache folder for the user."""
    from platformdirs import user_cache_path

    chosen = os.environ.get("HOLDFAST_CACHE")
    return Path(chosen) if chosen else user_cache_path("holdfast")


def read_verified(path: Path, checksum: str) -> bytes | None:
    """Return the content of a cached file, or None if it is absent or not what it should be."""
    if not path.is_file():
        return None
    content = path.read_bytes()
    return content if sha256(content).hexdigest() == checksum else None


def file_name(text: str) -> str:
    """Return a text, such as a partition's or a condition's, as part of a file's name.

    >>> file_name("similarity:gamma=0.5, q = 4")
    'similarity-gamma=0.5-q=4'
    """
    return re.sub("[^a-z0-9.=-]+", "-", text.lower().replace(" = ", "="))


def file_names(texts: Iterable[str]) -> dict[str, str]:
    """Return a file name for each different text; of several that would have the same, the later ones are numbered.

    >>> file_names(["votes.csv", "Votes.csv"])
    {'votes.csv': 'votes.csv', 'Votes.csv': 'votes.csv-2'}
    """
    found: dict[str, str] = {}
    for text in texts:
        plain = file_name(text)
        numbered = (plain if n == 1 else f"{plain}-{n}" for n in count(1))
        taken = {name for other, name in found.items() if other != text}
        found[text] = next(name for name in numbered if name not in taken)
    return found
