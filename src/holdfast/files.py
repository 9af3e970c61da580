"""Files that are either whole or absent, and the user's cache folder."""

import os
import threading
from hashlib import sha256
from pathlib import Path

from platformdirs import user_cache_path


def write_atomic(path: Path, content: bytes) -> None:
    """Write a file so that a reader, or a crash at any moment, finds the old one or the new one, whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def sweep(folder: Path) -> None:
    """Remove what writers that were killed have left half-written."""
    for part in folder.glob(".*.part"):
        part.unlink(missing_ok=True)


def cache_folder() -> Path:
    """Return where fetched data are kept: `$HOLDFAST_CACHE`, else the system's cache folder for the user."""
    chosen = os.environ.get("HOLDFAST_CACHE")
    return Path(chosen) if chosen else user_cache_path("holdfast")


def verified(path: Path, checksum: str) -> bytes | None:
    """Return the content of a cached file, or None if it is absent or not what it should be."""
    if not path.is_file():
        return None
    content = path.read_bytes()
    return content if sha256(content).hexdigest() == checksum else None
