"""A run's folder: its spec, the versions it ran with, its records, its checkpoints.

Every file is replaced as a whole or appended to by a line; one process at a time may do so. Records and checkpoints
carry the identity of the run, so that none is taken for another run's. So whenever the process dies, the folder resumes
to the run that was never interrupted.
"""

import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from holdfast.errors import InvalidInput, StorageError
from holdfast.files import Closing, Owner, check_writable, content_of, reason, sweep, sync_folder, write_atomic
from holdfast.runs.folder.artifacts import MODEL, PREDICTOR, RESULT, Artifacts, ending_files
from holdfast.runs.folder.checkpoint import Checkpoint
from holdfast.runs.folder.environment import list_differences, versions
from holdfast.runs.folder.evaluation_log import Line, find_intact, parse_line, seal_line
from holdfast.runs.folder.manifest import SPEC, VERSIONS, Manifest, begin, encode_spec, engine_text, is_unstarted
from holdfast.runs.folder.sealed import describe_damage, seal
from holdfast.runs.metrics import Evaluation
from holdfast.runs.predictor import Predictor
from holdfast.runs.spec import Spec
from holdfast.states import Arrays

RECORDS = "records.jsonl"
CHECKPOINTS = ("checkpoint.npz", "checkpoint.previous.npz")


class RunFolder(Closing):
    """The files of one run. To read them, make one of the path; to write, `create` or `own` it, then close it."""

    def __init__(self, path: Path, owner: Owner | None = None) -> None:
        self.path, self._owner = path, owner
        self._records, self._seal = 0, ""

    @cached_property
    def manifest(self) -> Manifest:
        """The spec, and what a run must resume with."""
        return Manifest(self.path)

    @staticmethod
    def check_new(path: Path) -> None:
        """Say before anything is computed if a run could not begin in this folder."""
        with _refusing(path):
            if path.exists():
                _require_unborn(path)
            check_writable(path)

    @staticmethod
    def create(path: Path, spec: Spec, data_digest: str) -> "RunFolder":
        """Start a folder for a new run, or anew in one whose run was killed before it began."""
        encode_spec(spec)  # what cannot be written is said before there is a folder
        with _refusing(path):
            path.mkdir(parents=True, exist_ok=True)
            owner = Owner(path)
            try:
                _require_unborn(path)
                sweep(path)
                sync_folder(path.absolute().parent)
                begin(path, spec, data_digest)
                folder = RunFolder(path, owner)
                folder._seal = folder.manifest.identity
            except BaseException:
                owner.close()
                raise
        return folder

    @staticmethod
    def own(path: Path) -> "RunFolder":
        """Return a run's folder to resume in; refuse if another process is at it."""
        Manifest(path)
        try:
            return RunFolder(path, Owner(path))
        except OSError as error:
            raise InvalidInput(f"a run resumes in a folder that can be written; got {path}: {reason(error)}") from None

    def close(self) -> None:
        """Let others own the folder."""
        if self._owner:
            self._owner.close()

    # -- on the way ----------------------------------------------------------------------------------------------

    def note_resume(self, spec: Spec) -> list[str]:
        """Write down where the run is computed from now on; return a warning if its bits may differ there."""
        began, now = self.manifest.about, versions()
        changes = list_differences(began.get("resumed", began), now)
        noted = began | {"engine": engine_text(spec)} | ({"resumed": now} if changes else {})
        if noted != began:
            self._write(VERSIONS, seal(noted))
        return [f"the last bits may differ from those of one go: {', '.join(changes)}"] if changes else []

    def record(self, evaluation: Evaluation) -> None:
        """Append one line to the records."""
        line = seal_line(evaluation, self._seal)
        with self._writing(), (self.path / RECORDS).open("ab") as file:
            file.write(str(line).encode())
        self._records, self._seal = self._records + 1, line.seal

    def save(self, round: int, master: Arrays, workers: Arrays, **about: Any) -> None:
        """Make this the newest checkpoint; the one before it is kept."""
        bound: dict[str, Any] = {"run": self.manifest.identity, "records": self._records, "seal": self._seal}
        content = Checkpoint(round, master, workers, **bound, **about).to_bytes()
        newest, previous = (self.path / name for name in CHECKPOINTS)
        with self._writing():
            self._sync_records()
            if newest.exists():
                newest.replace(previous)
            write_atomic(newest, content, parents=False)

    def _sync_records(self) -> None:
        """Make the records survive a loss of power: a checkpoint is of use only with all of them up to it."""
        if self._records:
            number = os.open(self.path / RECORDS, os.O_RDWR)
            try:
                os.fsync(number)
            finally:
                os.close(number)

    def restore(self) -> tuple[Checkpoint | None, list[Evaluation], list[str]]:
        """Return the newest checkpoint of use, the records up to it, and a warning for each that is of no use.

        What was recorded after it is removed.
        """
        identity, warnings = self.manifest.identity, list[str]()
        lines = find_intact(self._lines(), identity)
        found = self._newest(lines, warnings)
        kept = lines[: found.records] if found else []
        self._records, self._seal = len(kept), kept[-1].seal if kept else identity
        content = "".join(map(str, kept)).encode()
        with self._writing():
            sweep(self.path, (SPEC, VERSIONS, RECORDS, *CHECKPOINTS, MODEL, PREDICTOR, RESULT))
            if content != content_of(self.path / RECORDS):
                write_atomic(self.path / RECORDS, content, parents=False)
        return found, [line.evaluation for line in kept], warnings

    def _newest(self, lines: list[Line], warnings: list[str]) -> Checkpoint | None:
        identity = self.manifest.identity
        for path in (self.path / name for name in CHECKPOINTS):
            content = content_of(path)
            if content is None:
                continue
            try:
                found = Checkpoint.of_bytes(content)
            except ValueError as error:
                warnings.append(f"{path} is damaged ({error}); going back to what was saved before it")
                continue
            if found.run != identity:
                raise InvalidInput(f"a run resumes from its own checkpoints; got {path}, which is of another run")
            if found.seal == (lines[found.records - 1].seal if 0 < found.records <= len(lines) else identity):
                return found
            warnings.append(f"{self.path / RECORDS} is damaged; going back to before round {found.round}")
        return None

    # -- the end -------------------------------------------------------------------------------------------------

    def finish(self, result: Mapping[str, Any], model: NDArray[Any], predictor: Predictor | None = None) -> None:
        """Write the final model, as it is and for use, and the result; with the latter the run is over."""
        with self._writing():
            self._sync_records()
        for name, content in ending_files(self.manifest.identity, self._seal, result, model, predictor):
            self._write(name, content)

    @property
    def artifacts(self) -> Artifacts:
        """What the run left, if it is over."""
        return Artifacts(self.path, self.manifest.identity)

    def history(self) -> list[Evaluation]:
        """Return the records; a last line that is not whole, as a killed run may leave it, is none."""
        before, found = self.manifest.identity, list[Evaluation]()
        try:
            for text in self._lines():
                evaluation, before = parse_line(text, before)
                found.append(evaluation)
            if self.artifacts.records not in (None, before):
                raise ValueError("fewer than the run left")
        except ValueError as error:
            raise InvalidInput(
                f"{self.path / RECORDS} must hold one evaluation of this run per line; got {describe_damage(error)}"
            ) from None
        return found

    # -- reading and writing -------------------------------------------------------------------------------------

    def _lines(self) -> list[str]:
        """Return the whole lines of the records."""
        return (content_of(self.path / RECORDS) or b"").decode(errors="replace").split("\n")[:-1]

    def _write(self, name: str, content: bytes) -> None:
        with self._writing():
            write_atomic(self.path / name, content, parents=False)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Write to the folder that is owned; where that fails, say what to do."""
        try:
            if self._owner:
                self._owner.check()
            yield
        except OSError as error:
            lost = not self.path.is_dir()
            hint = "" if lost else f"; resume with: holdfast resume {shlex.quote(str(self.path))}"
            what = self.path if lost else error.filename or self.path / RECORDS  # the only one that is appended to
            raise StorageError(f"a run needs its folder until it is over; got {what}: {reason(error)}{hint}") from None


def _require_unborn(path: Path) -> None:
    if not (path.is_dir() and is_unstarted(path)):
        raise InvalidInput(f"--out must name a new or empty folder; got {path}, which holds something")


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InvalidInput(f"--out must name a folder that can be written; got {path}: {reason(error)}") from None
