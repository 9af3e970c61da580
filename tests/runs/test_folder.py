"""A run's folder: whose code it ran, on which engine, with which data; and that resuming asks for the same."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import holdfast as hf
import outsiders
from holdfast.engines import InProcess, Ray
from holdfast.errors import InvalidInput
from holdfast.runs.folder.manifest import Manifest
from holdfast.runs.folder.run_folder import RunFolder
from holdfast.runs.observers import Interrupted
from holdfast.runs.runner import resume, run
from holdfast.runs.spec import Spec

BASE = Spec(data="digits", workers=6, byzantine=1, rounds=12, eval_every=4, checkpoint_every=5, batch=4)

MODULE = """
from dataclasses import dataclass
import numpy as np
from holdfast.attacks import LocalAttack
from holdfast.data import Dataset, Partition
from holdfast.problems import Softmax

@dataclass(frozen=True)
class Rule:
    share: float = 0.5
    def __call__(self, rows):
        return np.quantile(rows, self.share, axis=0).astype(rows.dtype)

@dataclass(frozen=True)
class Louder(LocalAttack):
    def __call__(self, view):
        return FACTOR * view.own

@dataclass(frozen=True)
class Stripes(Partition):
    def deal(self, labels, workers, generator):
        return [np.arange(worker, len(labels), workers) for worker in range(workers)]

def halves():
    features = np.random.default_rng(3).normal(size=(60, 4))
    return Dataset.split("halves", features, (features[:, 0] > 0).astype(np.int64))

def problem(*given, **options):
    return Softmax.of(*given, **options)

FACTOR = np.float32(3)
"""


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module of somebody's on the path, under a name that no other test has."""
    path = tmp_path / "code" / f"theirs_{abs(hash(tmp_path))}.py"
    path.parent.mkdir()
    path.write_text(MODULE)
    monkeypatch.syspath_prepend(str(path.parent))
    invalidate_caches()
    return path


def stopped(spec: Spec, folder: Path | str, after: int = 7) -> None:
    stops = iter([False] * (2 * after) + [True] * 100)
    with pytest.raises(Interrupted):
        run(spec, folder, stopping=lambda: next(stops))


PARTS: dict[str, Callable[[str], dict[str, Any]]] = {
    "rule": lambda name: {"method": f"{name}:Rule:share=0.4"},
    "stage before": lambda name: {"method": f"bucketing+{name}:Rule"},
    "attack": lambda name: {"attack": f"{name}:Louder"},
    "partition": lambda name: {"partition": f"{name}:Stripes"},
    "data": lambda name: {"data": f"{name}:halves"},
    "problem": lambda name: {"problem": f"{name}:problem"},
    "rule as an object": lambda name: {"method": import_module(name).Rule(0.4)},
    "data as a function": lambda name: {"data": import_module(name).halves},
    "problem as a function": lambda name: {"problem": import_module(name).problem},
}


@pytest.mark.parametrize("changes", PARTS.values(), ids=PARTS)
def test_code_from_outside_is_written_down_and_must_stay(
    changes: Callable[[str], dict[str, Any]], theirs: Path, tmp_path: Path
) -> None:
    spec = replace(BASE, **changes(theirs.stem))
    whole = run(spec, tmp_path / "whole")
    stopped(spec, tmp_path / "run")
    (source,) = json.loads((tmp_path / "run" / "versions.json").read_text())["sources"]
    assert source["name"].startswith(f"{theirs.stem}:")
    assert source["file"] == str(theirs)
    assert source["sha256"] == sha256(MODULE.encode()).hexdigest()

    theirs.write_text(MODULE.replace("np.float32(3)", "np.float32(4)"))
    with pytest.raises(InvalidInput) as raised:
        resume(tmp_path / "run")
    assert str(raised.value) == f"a run resumes with the code it began with; got a changed {theirs}"

    theirs.write_text(MODULE)
    resumed = resume(tmp_path / "run")
    assert resumed.model.tobytes() == whole.model.tobytes()
    assert resumed.history == whole.history


def test_code_that_went_away_is_named(theirs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped(replace(BASE, method=f"{theirs.stem}:Rule"), tmp_path / "run")
    theirs.unlink()
    monkeypatch.delitem(sys.modules, theirs.stem)
    invalidate_caches()
    with pytest.raises(InvalidInput, match=rf"method '{theirs.stem}:Rule' must be something that can be imported; got"):
        resume(tmp_path / "run")


def test_ours_leaves_no_source(tmp_path: Path) -> None:
    run(BASE, tmp_path / "run")
    assert json.loads((tmp_path / "run" / "versions.json").read_text())["sources"] == []


# -- engines ---------------------------------------------------------------------------------------------------


def test_the_engine_is_written_down_apart_from_the_spec(tmp_path: Path) -> None:
    run(BASE, tmp_path / "run")
    assert json.loads((tmp_path / "run" / "versions.json").read_text())["engine"] == "simulated"
    assert "engine" not in (tmp_path / "run" / "spec.toml").read_text()
    before = Manifest(tmp_path / "run")
    assert before.about
    assert RunFolder(tmp_path / "run").note_resume(replace(BASE, engine=Ray(shards=3))) == []
    after = Manifest(tmp_path / "run")
    assert after.about == before.about | {"engine": "ray:shards=3,address=local,round_timeout=0,min_workers=1"}
    assert after.spec == before.spec
    assert after.identity == before.identity
    assert Spec(engine=after.about["engine"]).engine == Ray(shards=3)


@pytest.mark.parametrize("engine", ["simulated", {"name": "simulated"}, InProcess(), InProcess], ids=str)
def test_a_run_resumes_on_the_engine_that_is_given(engine: Any, tmp_path: Path) -> None:
    whole = run(BASE)
    stopped(BASE, tmp_path / "run")
    RunFolder(tmp_path / "run").note_resume(replace(BASE, engine=Ray()))  # as if it had begun there
    resumed = resume(tmp_path / "run", engine=engine)
    assert resumed.model.tobytes() == whole.model.tobytes()
    assert json.loads((tmp_path / "run" / "versions.json").read_text())["engine"] == "simulated"


def test_another_word_for_an_engine_is_refused(tmp_path: Path) -> None:
    stopped(BASE, tmp_path / "run")
    with pytest.raises(InvalidInput, match=r"unknown engine 'rays' \(did you mean 'ray'\?\); known: simulated, ray"):
        resume(tmp_path / "run", engine="rays")


# -- paths and data --------------------------------------------------------------------------------------------


def test_folders_may_be_texts(tmp_path: Path) -> None:
    result = hf.run(BASE, f"{tmp_path}/run")
    assert result.folder == tmp_path / "run"
    assert hf.resume(f"{tmp_path}/run").model.tobytes() == result.model.tobytes()


def test_a_relative_data_file_is_found_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    features = np.random.default_rng(0).normal(size=(60, 3))
    np.savez(tmp_path / "own.npz", x=features, y=features[:, 0] > 0)
    (tmp_path / "spec.toml").write_text('data = "own.npz"\n[training]\nrounds = 9\n')
    monkeypatch.chdir(tmp_path)
    stopped(Spec(data="own.npz", workers=4, rounds=20), tmp_path / "run")
    monkeypatch.chdir("/")
    assert resume(tmp_path / "run").rounds == 20
    assert run(replace(Spec.read(tmp_path / "spec.toml"), workers=4)).rounds == 9


def test_data_given_as_an_object_are_asked_for_again(tmp_path: Path) -> None:
    data = outsiders.squares()
    spec = replace(BASE, data=data)
    whole = run(spec)
    stopped(spec, tmp_path / "run")
    with pytest.raises(InvalidInput, match=r"resumes with resume\(folder, data=\.\.\.\); got the name 'squares'"):
        resume(tmp_path / "run")
    with pytest.raises(InvalidInput, match="a run resumes on the data it began with, SHA-256"):
        resume(tmp_path / "run", data=outsiders.squares(80))
    resumed = resume(tmp_path / "run", data=data)
    assert resumed.model.tobytes() == whole.model.tobytes()
    assert resumed.spec.data is data
    assert resume(tmp_path / "run", data=outsiders.squares).history == whole.history  # what makes the same data


def test_a_problem_made_in_python_has_no_folder(tmp_path: Path) -> None:
    problem = outsiders.Quadratic(np.eye(3))
    with pytest.raises(InvalidInput, match="a run in a folder needs data that can be loaded again; got a problem made"):
        run(Spec(problem=problem, workers=3, rounds=2), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_part_that_cannot_be_written_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="Forgetful must keep its options as attributes; got none named factor"):
        run(replace(BASE, method=outsiders.Forgetful()), tmp_path / "run")
    assert not (tmp_path / "run").exists()
