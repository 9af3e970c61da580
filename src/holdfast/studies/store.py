"""A folder of finished runs: one file each, whole or absent, named by the run's spec."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from holdfast._version import __version__
from holdfast.errors import InvalidInput
from holdfast.files import write_atomic
from holdfast.runs.records import Record
from holdfast.runs.spec import Spec


@dataclass(frozen=True)
class Store:
    """Finished runs on disk. A file counts only if it holds this spec, these data and this version, unharmed.

    What a spec computes is what counts, not the engine that it ran on.
    """

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
        content = self._head(record.spec) | {"run": record.stored()}
        lines = json.dumps(content | {"sha256": checksum(content)}, indent=1, allow_nan=False)
        try:
            write_atomic(self._path(record.spec), f"{lines}\n".encode())
        except OSError as error:
            raise InvalidInput(f"{self.folder} must be a folder that can be written; got {error.strerror}") from None

    def _head(self, spec: Spec) -> dict[str, Any]:
        return {"holdfast": __version__, "data_sha256": self.data_sha256, "sources": spec.sources()}

    def _read(self, path: Path, spec: Spec) -> Record:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content.pop("sha256") != checksum(content):
            raise ValueError("its checksum is wrong")
        if content["holdfast"] != __version__:
            raise ValueError(f"it is of holdfast {content['holdfast']}")
        if content["data_sha256"] != self.data_sha256:
            raise ValueError("it is of other data")
        if content["sources"] != spec.sources():
            raise ValueError("it ran other code from outside the package")
        return Record.read(content["run"], spec)

    def _path(self, spec: Spec) -> Path:
        digest = sha256(spec.to_toml().encode()).hexdigest()[:16]
        # stages and parts from outside have + and : in their names, which not every file system takes
        name = re.sub(r"[^\w.-]", "_", spec.method_name)
        return self.folder / f"{name}-{digest}.json"


@dataclass(frozen=True)
class StoreByData:
    """A folder of finished runs on several data sets."""

    store: Store
    data_sha256: Callable[[Spec], str]

    def find(self, spec: Spec) -> Record | None:
        return self._of(spec).find(spec)

    def keep(self, record: Record) -> None:
        self._of(record.spec).keep(record)

    def _of(self, spec: Spec) -> Store:
        return replace(self.store, data_sha256=self.data_sha256(spec))


def checksum(content: dict[str, Any]) -> str:
    """Return the hash by which harm to a file of JSON is noticed."""
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


T = TypeVar("T")


def kept(path: Path, about: dict[str, Any], find: Callable[[], Any], read: Callable[[Any], T]) -> T:
    """Return what `read` makes of the JSON in a file, if it is of this version and of what `about` says.

    Else find it and write the file. A file that is torn or of something else is written anew.
    """
    head = {"holdfast": __version__, **about}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["about"] == head:
            return read(content["found"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    found = json.dumps(find())
    write_atomic(path, f'{{"about": {json.dumps(head)}, "found": {found}}}\n'.encode())
    return read(json.loads(found))
