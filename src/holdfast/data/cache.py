"""The user's cache folder."""

import os
from hashlib import sha256
from pathlib import Path

from platformdirs import user_cache_path


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
