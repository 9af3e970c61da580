"""Files that are either whole or absent."""

import os
import threading
from pathlib import Path


def write(path: Path, content: bytes) -> None:
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
