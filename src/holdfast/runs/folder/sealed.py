"""JSON objects that carry their own checksum."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any


def sealed_json(value: Mapping[str, Any]) -> bytes:
    """Return a JSON object with its own checksum."""
    plain = {key: each for key, each in value.items() if key != "sha256"}
    return (json.dumps(plain | {"sha256": _checksum(plain)}, indent=2, allow_nan=False) + "\n").encode()


def unsealed_json(content: bytes) -> dict[str, Any]:
    """Return the JSON object that `sealed_json` wrote, or raise ValueError, KeyError or TypeError."""
    value = dict(json.loads(content))
    if value.pop("sha256") != _checksum(value):
        raise ValueError("a wrong checksum")
    return value


def _checksum(value: Mapping[str, Any]) -> str:
    return sha256(json.dumps(value, allow_nan=False).encode()).hexdigest()


def said(error: Exception) -> str:
    """Return what is wrong with such an object, in a few words."""
    return f"no {error}" if isinstance(error, KeyError) else str(error) or type(error).__name__
