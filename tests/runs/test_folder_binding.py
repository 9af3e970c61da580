"""The files of a run are bound to it and to each other: none is taken for another run's."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from holdfast.errors import InvalidInput
from holdfast.insight.inspection import inspect
from holdfast.runs.folder.environment import ARITHMETIC, versions
from holdfast.runs.folder.manifest import Manifest
from holdfast.runs.folder.run_folder import RunFolder
from holdfast.runs.folder.sealed import seal, unseal
from holdfast.runs.metrics import Evaluation
from holdfast.runs.observers import Interrupted, LoggingObserver
from holdfast.runs.runner import resume, run
from holdfast.runs.spec import Spec

SPEC = Spec(
    data="digits", workers=5, byzantine=1, attack="gaussian", batch=4, rounds=24, eval_every=4, checkpoint_every=6
)


class Watch(LoggingObserver):
    """Keeps warnings, and asks to stop after a round."""

    def __init__(self, stop_after: int = 10**9) -> None:
        self.stop_after, self.round, self.first, self.warnings = stop_after, 0, -1, list[str]()

    def start(self, spec: Spec, round: int) -> None:
        self.first = round

    def count(self, round: int) -> None:
        self.round = round

    def warn(self, text: str) -> None:
        self.warnings.append(text)

    def __call__(self) -> bool:
        return self.round >= self.stop_after


def stopped(spec: Spec, out: Path, after: int = 15) -> Path:
    watch = Watch(after)
    with pytest.raises(Interrupted):
        run(spec, out, watch, watch)
    return out


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("whole") / "run"
    run(SPEC, out)
    return out


def agree(one: Path, other: Path) -> bool:
    return all((one / name).read_bytes() == (other / name).read_bytes() for name in ("model.npy", "records.jsonl"))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("name", ["checkpoint.npz", "checkpoint.previous.npz"])
def test_a_checkpoint_of_another_run_is_refused(name: str, tmp_path: Path) -> None:
    out, other = stopped(SPEC, tmp_path / "run"), stopped(replace(SPEC, seed=1), tmp_path / "other")
    shutil.copy(other / "checkpoint.npz", out / name)
    if name != "checkpoint.npz":
        (out / "checkpoint.npz").unlink()
    before = contents(out)
    with pytest.raises(InvalidInput) as refused:
        resume(out)
    assert str(refused.value) == f"a run resumes from its own checkpoints; got {out / name}, which is of another run"
    assert contents(out) == before


def test_records_of_another_run_are_not_taken(whole: Path, tmp_path: Path) -> None:
    out, other = stopped(SPEC, tmp_path / "run"), stopped(replace(SPEC, seed=1), tmp_path / "other")
    shutil.copy(other / "records.jsonl", out / "records.jsonl")
    with pytest.raises(InvalidInput, match="evaluation of this run per line; got its seal is wrong"):
        inspect(out)
    watch = Watch()
    resume(out, watch)
    assert watch.first == 0
    assert f"{out / 'records.jsonl'} is damaged; going back to before round 15" in watch.warnings
    assert agree(out, whole)


@pytest.mark.parametrize(("line", "first"), [(0, 0), (1, 0), (2, 0), (3, 12)])
def test_a_changed_record_goes_back_to_the_checkpoint_before_it(
    line: int, first: int, whole: Path, tmp_path: Path
) -> None:
    """Records at 4, 8, 12 and 16; checkpoints at 12 and, since it was stopped there, 17."""
    out = stopped(SPEC, tmp_path / "run", 17)
    lines = (out / "records.jsonl").read_text().splitlines(keepends=True)
    values = json.loads(lines[line])
    lines[line] = json.dumps(values | {"loss": values["loss"] + 1e-9}) + "\n"
    (out / "records.jsonl").write_text("".join(lines))
    watch = Watch()
    resume(out, watch)
    assert watch.first == first
    assert len(watch.warnings) == (1 if first else 2)
    assert agree(out, whole)


def test_records_that_went_away_are_made_again(whole: Path, tmp_path: Path) -> None:
    out = stopped(SPEC, tmp_path / "run")
    (out / "records.jsonl").unlink()
    resume(out)
    assert agree(out, whole)


def test_a_result_of_another_run_is_not_taken(whole: Path, tmp_path: Path) -> None:
    run(replace(SPEC, seed=1), tmp_path / "other")
    shutil.copytree(whole, tmp_path / "run")
    shutil.copy(tmp_path / "other" / "result.json", tmp_path / "run")
    with pytest.raises(InvalidInput, match="must hold the result of this run; got that of another run"):
        inspect(tmp_path / "run")


def test_what_arithmetic_depends_on_is_written_down_and_told_when_it_changed(whole: Path, tmp_path: Path) -> None:
    out = stopped(SPEC, tmp_path / "run")
    about = unseal((out / "versions.json").read_bytes())
    assert {name: about.get(name) for name in ARITHMETIC} == {name: versions().get(name) for name in ARITHMETIC}
    assert about["cpu"]
    (out / "versions.json").write_bytes(seal(about | {"numba": "0.1", "target": "haswell"}))
    watch = Watch(18)
    with pytest.raises(Interrupted):
        resume(out, watch, watch)
    now = versions()
    assert watch.warnings == [
        f"the last bits may differ from those of one go: numba 0.1 before, {now['numba']} now, "
        f"target haswell before, {now['target']} now"
    ]
    again = Watch()
    resume(out, again)
    assert again.warnings == [], "it is told once"
    assert Manifest(out).about["numba"] == "0.1", "how it began stays on record"
    assert agree(out, whole)


def test_a_checkpoint_does_not_grow_with_the_history(tmp_path: Path) -> None:
    sizes = []
    with RunFolder.create(tmp_path / "run", SPEC, "digest") as folder:
        for number in range(1, 301):
            folder.record(Evaluation(number, 0.5, 1.0, 1.0, 1.0, [0.1] * 20, [0] * 20))
            if number in (100, 300):
                folder.save(number, {}, {}, seconds=0.0, evaluation_seconds=0.0)
                sizes.append((tmp_path / "run" / "checkpoint.npz").stat().st_size)
    assert sizes[0] == sizes[1]
