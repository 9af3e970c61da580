"""The one format of files that notice damage: a JSON object that carries its own checksum."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from holdfast.typing import Json


def seal(value: Mapping[str, Any]) -> bytes:
    """Return a JSON object with its own checksum."""
    plain = {key: each for key, each in value.items() if key != "sha256"}
    return (json.dumps(plain | {"sha256": _digest(plain)}, indent=2, allow_nan=False) + "\n").encode()


def unseal(content: bytes) -> Json:
    """Return the JSON object that `seal` wrote, or raise ValueError, KeyError or TypeError."""
    value = dict(json.loads(content))
    if value.pop("sha256") != _digest(value):
        raise ValueError("a wrong checksum")
    return value


def _digest(value: Mapping[str, Any]) -> str:
    return sha256(json.dumps(value, allow_nan=False).encode()).hexdigest()


def describe_damage(error: Exception) -> str:
    """Return what is wrong with a sealed file, in a few words."""
    return f"no {error}" if isinstance(error, KeyError) else str(error) or type(error).__name__
