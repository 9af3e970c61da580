"""A folder of finished runs: one file each, whole or absent, named by the run's spec."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import holdfast
from holdfast.errors import InvalidInput
from holdfast.experiments.spec import Spec
from holdfast.files import write_atomic
from holdfast.reproduction.records import Record


@dataclass(frozen=True)
class Store:
    """Finished runs on disk. A file counts only if it holds this spec, these data and this version, unharmed."""

    folder: Path
    data_sha256: str
    warn: Callable[[str], None]

    def find(self, spec: Spec) -> Record | None:
        """Return the finished run of a resolved spec, if it is here; say so if its file is of no use."""
        path = self._path(spec)
        if not path.exists():
            return None
        try:
            return self._read(path, spec)
        except (OSError, ValueError, KeyError, TypeError) as error:
            self.warn(f"{path} is not used, its run is repeated: {error if str(error) else type(error).__name__}")
            return None

    def keep(self, record: Record) -> None:
        """Store a finished run."""
        content = {"holdfast": holdfast.__version__, "data_sha256": self.data_sha256, "run": record.to_json()}
        lines = json.dumps(content | {"sha256": _checksum(content)}, indent=1, allow_nan=False)
        try:
            write_atomic(self._path(record.spec), f"{lines}\n".encode())
        except OSError as error:
            raise InvalidInput(f"{self.folder} must be a folder that can be written; got {error.strerror}") from None

    def _read(self, path: Path, spec: Spec) -> Record:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content.pop("sha256") != _checksum(content):
            raise ValueError("its checksum is wrong")
        if content["holdfast"] != holdfast.__version__:
            raise ValueError(f"it is of holdfast {content['holdfast']}")
        if content["data_sha256"] != self.data_sha256:
            raise ValueError("it is of other data")
        record = Record.of_json(content["run"])
        if record.spec != spec:
            raise ValueError("it is of another spec")
        return record

    def _path(self, spec: Spec) -> Path:
        digest = sha256(spec.to_toml().encode()).hexdigest()[:16]
        return self.folder / f"{spec.method}-{digest}.json"


def _checksum(content: dict[str, Any]) -> str:
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
