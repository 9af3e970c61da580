"""Numbers that the rule has found, in one file of an arena's folder: a resumed arena reads them there."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from holdfast._version import __version__
from holdfast.experiments.spec import Spec
from holdfast.experiments.store import checksum
from holdfast.files import write_atomic


class Numbers(NamedTuple):
    """What stands for `auto` in a spec; None for what it does not have."""

    penalty: float | None
    rate: float | None


class NumbersKeeper(Protocol):
    """Where numbers that were found are kept."""

    def find(self, specs: Iterable[Spec], /) -> dict[Spec, Numbers]: ...
    def keep(self, found: Mapping[Spec, Numbers], /) -> None: ...


@dataclass(frozen=True)
class NumbersFile:
    """One file of numbers. They count only for the same spec, data, code from outside and version, unharmed."""

    path: Path
    data_sha256: Callable[[Spec], str]

    def find(self, specs: Iterable[Spec]) -> dict[Spec, Numbers]:
        """Return the numbers of those specs that are here."""
        here = self._read()
        keys = {spec: self._key(spec) for spec in specs} if here else {}
        return {spec: here[key] for spec, key in keys.items() if key in here}

    def keep(self, found: Mapping[Spec, Numbers]) -> None:
        """Add numbers to the file."""
        content = {"found": self._read() | {self._key(spec): each for spec, each in found.items()}}
        write_atomic(self.path, f"{json.dumps(content | {'sha256': checksum(content)}, indent=1)}\n".encode())

    def _read(self) -> dict[str, Numbers]:
        """Return all numbers by key; none of a file that is torn or of something else, which is written anew."""
        try:
            content = json.loads(self.path.read_text(encoding="utf-8"))
            if content.pop("sha256") != checksum(content):
                return {}
            return {key: Numbers(*each) for key, each in content["found"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {}

    def _key(self, spec: Spec) -> str:
        about: list[Any] = [__version__, self.data_sha256(spec), spec.sources(), spec.to_toml()]
        return sha256(json.dumps(about).encode()).hexdigest()
