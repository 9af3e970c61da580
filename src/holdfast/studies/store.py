"""Sealed files of a study's folder: finished runs, one file each, and what is computed once for all of them."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from holdfast._version import __version__
from holdfast.data import Data
from holdfast.errors import InvalidInput
from holdfast.files import write_atomic
from holdfast.runs.folder.sealed import describe_damage, seal, unseal
from holdfast.runs.records import Record
from holdfast.runs.spec import Spec
from holdfast.runs.workbench import SHARED
from holdfast.typing import Json

T = TypeVar("T")


class DataDigests:
    """The SHA-256 of the data of specs; of each data set it is computed once."""

    def __init__(self) -> None:
        self._known: dict[Data, str] = {}

    def __call__(self, spec: Spec) -> str:
        if spec.data not in self._known:
            self._known[spec.data] = SHARED.load(spec.data).digest()
        return self._known[spec.data]


@dataclass(frozen=True)
class Store:
    """Finished runs on disk, one file each, named by the run's spec.

    A file counts only if it holds this spec, these data and this version, undamaged. The engine does not matter.
    """

    folder: Path
    warn: Callable[[str], None]
    digest: Callable[[Spec], str]
    """The SHA-256 of a spec's data."""

    def find(self, spec: Spec) -> Record | None:
        """Return the finished run of a spec with every number, if it is here; warn if its file is of no use."""
        path = self._path(spec)
        if not path.exists():
            return None
        try:
            return self._read(path, spec)
        except (OSError, ValueError, KeyError, TypeError) as error:
            self.warn(f"{path} is not used, its run is repeated: {describe_damage(error)}")
            return None

    def keep(self, record: Record) -> None:
        """Store a finished run."""
        try:
            write_atomic(self._path(record.spec), seal(self._head(record.spec) | {"run": record.dump()}))
        except OSError as error:
            raise InvalidInput(f"{self.folder} must be a folder that can be written; got {error.strerror}") from None

    def _head(self, spec: Spec) -> Json:
        return {"holdfast": __version__, "data_sha256": self.digest(spec), "sources": spec.sources()}

    def _read(self, path: Path, spec: Spec) -> Record:
        content, head = unseal(path.read_bytes()), self._head(spec)
        if content["holdfast"] != head["holdfast"]:
            raise ValueError(f"it is of holdfast {content['holdfast']}")
        if content["data_sha256"] != head["data_sha256"]:
            raise ValueError("it is of other data")
        if content["sources"] != head["sources"]:
            raise ValueError("it ran other code from outside the package")
        return Record.read(content["run"], spec)

    def _path(self, spec: Spec) -> Path:
        digest = sha256(spec.to_toml().encode()).hexdigest()[:16]
        # stages and parts from outside have + and : in their names, which not every file system takes
        name = re.sub(r"[^\w.-]", "_", spec.method_name)
        return self.folder / f"{name}-{digest}.json"


def remember(path: Path, about: Json, find: Callable[[], Any], read: Callable[[Any], T]) -> T:
    """Return what `read` makes of the value in a file, if it is of this version and of what `about` says.

    Else find the value and write the file. A file that is damaged or of something else is written anew.
    """
    head = {"holdfast": __version__, **about}
    try:
        content = unseal(path.read_bytes())
        if content["about"] == head:
            return read(content["found"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    value = find()
    write_atomic(path, seal({"about": head, "found": value}))
    return read(json.loads(json.dumps(value)))
