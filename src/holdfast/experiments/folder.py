"""A run's folder: its spec, the versions it ran with, its records, its checkpoints.

Every file is replaced as a whole or appended to by a line, and a checkpoint holds all records up to
it. So whenever the process dies, the folder resumes to the run that was never interrupted.
"""

import io
import json
import platform
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast._version import __version__
from holdfast.engines.options import ENGINES
from holdfast.errors import InvalidInput
from holdfast.experiments.metrics import Evaluation
from holdfast.experiments.spec import Spec
from holdfast.files import sweep, write_atomic
from holdfast.states import Arrays

SIDES = ("master", "workers", "attack")
"""Whose states a checkpoint holds."""


@dataclass(frozen=True)
class Checkpoint:
    """A run between two rounds: the arrays of all states, and what was recorded so far.

    On disk an .npz file followed by its SHA-256.
    """

    round: int
    master: Arrays
    workers: Arrays
    history: list[Evaluation]
    seconds: float
    """Spent on rounds."""
    evaluation_seconds: float
    absent: int = 0
    """How often a worker did not answer in time."""
    attack: Arrays = field(default_factory=dict)
    """What the Byzantine workers remember."""

    def to_bytes(self) -> bytes:
        about = asdict(self)
        arrays = {f"{side}.{name}": array for side in SIDES for name, array in about.pop(side).items()}
        file = io.BytesIO()
        np.savez(file, about=np.array(json.dumps(about)), **arrays)
        return file.getvalue() + sha256(file.getvalue()).digest()

    @staticmethod
    def of_bytes(content: bytes) -> "Checkpoint":
        arrays, checksum = content[:-32], content[-32:]
        if sha256(arrays).digest() != checksum:
            raise ValueError("its checksum is wrong")
        with np.load(io.BytesIO(arrays), allow_pickle=False) as file:
            about = json.loads(str(file["about"]))
            sides: dict[str, Any] = {
                side: {key.removeprefix(f"{side}."): file[key] for key in file.files if key.startswith(f"{side}.")}
                for side in SIDES
            }
        history = [Evaluation(**line) for line in about.pop("history")]
        return Checkpoint(history=history, **sides, **about)


class RunFolder:
    """The files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @staticmethod
    def create(path: Path, spec: Spec, data_digest: str) -> "RunFolder":
        """Start a folder for a new run."""
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise InvalidInput(f"--out must name a new or empty folder; got {path}, which holds something")
        text = spec.to_toml().encode()
        try:
            began = {"data_sha256": data_digest, "spec_sha256": sha256(text).hexdigest(), "sources": spec.sources()}
            write_atomic(path / "versions.json", _json(versions() | began | {"engine": _engine(spec)}))
            write_atomic(path / "spec.toml", text)
        except OSError as error:
            raise InvalidInput(f"--out must name a folder that can be written; got {path}: {error.strerror}") from None
        return RunFolder(path)

    def spec(self) -> Spec:
        """Return the spec of the run in this folder."""
        if not (self.path / "spec.toml").is_file():
            raise InvalidInput(f"a run's folder must hold its spec.toml; got {self.path}")
        return Spec.read(self.path / "spec.toml")

    def engine(self) -> str:
        """Return where the run was computed last."""
        return str(self._began()["engine"])

    def note_engine(self, spec: Spec) -> None:
        """Write down where the run is computed from now on."""
        began = self._began()
        if began["engine"] != _engine(spec):
            write_atomic(self.path / "versions.json", _json(began | {"engine": _engine(spec)}))

    def check(self, data_digest: str) -> None:
        """Refuse to resume with another spec or other data than the run began with."""
        began = self._began()
        if began["spec_sha256"] != sha256((self.path / "spec.toml").read_bytes()).hexdigest():
            raise InvalidInput("a run resumes with the spec it began with; got a spec.toml that was changed since")
        if (data := began["data_sha256"]) != data_digest:
            raise InvalidInput(
                f"a run resumes on the data it began with, SHA-256 {data[:12]}...; got {data_digest[:12]}..."
            )

    def check_sources(self, spec: Spec) -> None:
        """Refuse to resume with other code than the run began with, where it comes from outside the package.

        What makes the data may be another one: those are known by their own checksum.
        """
        before = {source["name"]: source.get("sha256") for source in self._began()["sources"]}
        for source in spec.sources():
            if source["name"] in before and source.get("sha256") != before[source["name"]]:
                raise InvalidInput(
                    f"a run resumes with the code it began with; got a changed {source.get('file', source['name'])}"
                )

    def _began(self) -> dict[str, Any]:
        """Return what was written down when the run began."""
        try:
            began = json.loads((self.path / "versions.json").read_text())
            strings = [began[key] for key in ("spec_sha256", "data_sha256", "engine")]
            if not (isinstance(began["sources"], list) and all(isinstance(each, str) for each in strings)):
                raise ValueError("other kinds of values")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InvalidInput(
                f"{self.path}/versions.json must hold the checksums of spec and data; got {error!r}"
            ) from None
        return dict(began)

    def record(self, evaluation: Evaluation) -> None:
        """Append one line to the records."""
        with (self.path / "records.jsonl").open("a", encoding="utf-8") as file:
            file.write(_line(evaluation))

    def save(self, checkpoint: Checkpoint) -> None:
        """Make this the newest checkpoint; the one before it is kept."""
        newest, previous = self._checkpoints()
        if newest.exists():
            newest.replace(previous)
        write_atomic(newest, checkpoint.to_bytes())

    def restore(self) -> tuple[Checkpoint | None, list[str]]:
        """Return the newest whole checkpoint, with a warning for each damaged one; set the records back to it."""
        sweep(self.path)
        found, warnings = None, []
        for path in self._checkpoints():
            if not path.exists():
                continue
            try:
                found = Checkpoint.of_bytes(path.read_bytes())
                break
            except ValueError as error:
                warnings.append(f"{path} is damaged ({error}); going back to what was saved before it")
        lines = "".join(map(_line, found.history)) if found else ""
        write_atomic(self.path / "records.jsonl", lines.encode())
        return found, warnings

    def finish(self, result: Mapping[str, Any], model: NDArray[Any]) -> None:
        """Write the final model and the result; with the latter the run is over."""
        file = io.BytesIO()
        np.save(file, model, allow_pickle=False)
        write_atomic(self.path / "model.npy", file.getvalue())
        write_atomic(self.path / "result.json", _json(result))

    def history(self) -> list[Evaluation]:
        """Return the records; a last line that is not whole, as a killed run may leave it, is none."""
        path = self.path / "records.jsonl"
        try:
            *lines, _ = path.read_text(encoding="utf-8").split("\n") if path.exists() else [""]
            return [Evaluation(**json.loads(line)) for line in lines]
        except (OSError, ValueError, TypeError) as error:
            raise InvalidInput(f"{path} must hold one evaluation per line; got {error}") from None

    def result(self) -> dict[str, Any] | None:
        """Return how the run ended, if it did."""
        path = self.path / "result.json"
        try:
            return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else None
        except (OSError, ValueError, TypeError) as error:
            raise InvalidInput(f"{path} must hold the result of a run; got {error}") from None

    def _checkpoints(self) -> tuple[Path, Path]:
        return self.path / "checkpoint.npz", self.path / "checkpoint.previous.npz"


def _engine(spec: Spec) -> str:
    return ENGINES.text(spec.engine, full=True)


def versions() -> dict[str, str]:
    """Return what a result may depend on besides its spec."""
    return {
        "holdfast": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "platform": platform.platform(),
        "byteorder": sys.byteorder,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _json(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, indent=2, allow_nan=False) + "\n").encode()


def _line(evaluation: Evaluation) -> str:
    return json.dumps(asdict(evaluation), allow_nan=False) + "\n"
