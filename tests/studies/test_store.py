"""Finished runs on disk: they read back equal, and what is not theirs is not believed."""

import json
import re
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changed import ready
from holdfast.attacks import SameValue, SignFlip
from holdfast.data import load
from holdfast.engines.engine_options import Ray
from holdfast.errors import InvalidInput
from holdfast.methods import Rsa, make_method
from holdfast.runs.metrics import Evaluation
from holdfast.runs.plan import drop_ignored, fill_defaults
from holdfast.runs.records import Record
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.studies import store as store_module
from holdfast.studies.store import Store
from holdfast.studies.study import Study

SPEC = ready(Spec(Rsa(norm=inf), SameValue(), byzantine=8, data="digits", rounds=4, eval_every=2))

finite = st.floats(allow_nan=False, allow_infinity=False)
evaluations = st.builds(Evaluation, st.integers(1), st.none() | finite, finite, finite, finite)
methods = st.builds(Rsa, norm=st.floats(1, allow_nan=False), penalty=st.floats(0, allow_nan=False))
records = st.builds(
    Record,
    spec=st.builds(Spec, method=methods, seed=st.integers(0), rate=finite).map(fill_defaults),
    history=st.lists(evaluations),
    rounds=st.integers(1),
    diverged=st.none() | st.integers(1),
    ceiling=st.none() | finite,
    seconds=finite,
    evaluation_seconds=finite,
)


def digest(spec: Spec) -> str:
    return "digest"


@pytest.fixture(scope="module")
def record() -> Record:
    return Record.of(run(SPEC))


@given(record=records)
def test_a_record_is_strict_json_and_reads_back_equal(record: Record) -> None:
    text = json.dumps(record.dump(), allow_nan=False)
    assert Record.read(json.loads(text), record.spec) == record


def test_a_run_is_found_again(record: Record, tmp_path: Path) -> None:
    warnings: list[str] = []
    store = Store(tmp_path / "runs", warnings.append, digest)
    assert store.find(SPEC) is None
    store.keep(record)
    assert store.find(SPEC) == record
    assert store.find(replace(SPEC, seed=1)) is None
    assert warnings == []
    assert len(list((tmp_path / "runs").iterdir())) == 1, "nothing half-written is left behind"


def changed(path: Path, before: str, after: str) -> None:
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        (lambda path: path.write_text(path.read_text()[:300]), ""),
        (lambda path: path.write_bytes(b""), ""),
        (lambda path: path.write_bytes(b"\xff\xfe"), ""),
        (lambda path: path.write_text("[]"), ""),
        (lambda path: path.write_text("{}"), "sha256"),
        (lambda path: changed(path, '"diverged": null', '"diverged": 3'), "a wrong checksum"),
    ],
)
def test_a_harmed_file_is_told_and_not_believed(
    harm: Callable[[Path], object], reason: str, record: Record, tmp_path: Path
) -> None:
    warnings: list[str] = []
    store = Store(tmp_path, warnings.append, digest)
    store.keep(record)
    (path,) = tmp_path.iterdir()
    harm(path)
    assert store.find(SPEC) is None
    (line,) = warnings
    assert line.startswith(f"{path} is not used, its run is repeated: ")
    assert reason in line
    assert "\n" not in line
    store.keep(record)
    assert store.find(SPEC) == record, "the repeated run takes its place"


def test_runs_of_other_data_another_version_or_another_spec_are_not_used(
    record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warnings: list[str] = []
    store = Store(tmp_path, warnings.append, digest)
    store.keep(record)
    assert replace(store, digest=lambda _: "other").find(SPEC) is None
    other = replace(SPEC, seed=1)
    store.keep(replace(record, spec=other))
    store._path(SPEC).replace(store._path(other))
    assert store.find(other) is None
    store.keep(record)
    monkeypatch.setattr(store_module, "__version__", "0.0.9")
    assert store.find(SPEC) is None
    assert [line.rpartition(": ")[2] for line in warnings] == [
        "it is of other data", "it is of another spec", "it is of holdfast 0.1.0",
    ]  # fmt: skip


@pytest.mark.parametrize("method", ["nnm+bucketing+krum", "own_rule:Middle", "rsa"])
def test_any_method_gives_a_name_that_every_file_system_takes(method: str, record: Record, tmp_path: Path) -> None:
    store = Store(tmp_path, pytest.fail, digest)
    spec = fill_defaults(replace(SPEC, method=make_method(method)))
    store.keep(replace(record, spec=spec))
    (path,) = tmp_path.iterdir()
    assert re.fullmatch(r"[\w.-]+-[0-9a-f]{16}\.json", path.name)
    assert store.find(spec) == replace(record, spec=spec)
    assert store.find(replace(spec, engine=Ray())) is not None, "the engine changes no number"


def test_a_run_of_other_code_is_not_used(record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    warnings: list[str] = []
    store = Store(tmp_path, warnings.append, digest)
    spec = fill_defaults(replace(SPEC, method=make_method("own_rule:Middle")))
    store.keep(replace(record, spec=spec))
    edited = [source | {"sha256": "0"} for source in spec.sources()]
    monkeypatch.setattr(Spec, "sources", lambda spec: edited)
    assert store.find(spec) is None
    assert warnings[0].endswith("it ran other code from outside the package")


def test_data_given_as_an_object_are_gathered(tmp_path: Path) -> None:
    spec = drop_ignored(ready(Spec(data=load("digits"), rounds=1)))
    told: list[bool] = []
    for _ in range(2):
        study = Study(
            1, Store(tmp_path, pytest.fail, digest), telling=lambda _: nullcontext(lambda _, new: told.append(new))
        )
        assert study.record([spec])[spec].spec == spec
    assert told == [True, False]


def test_what_cannot_work_is_said_before_anything_runs(tmp_path: Path) -> None:
    hopeless = [
        fill_defaults(Spec(make_method("krum"), SignFlip(), byzantine=2, workers=4, data="digits", rounds=1, rate=0.1))
    ]
    with pytest.raises(InvalidInput, match="Krum needs"):
        Study(1, Store(tmp_path, pytest.fail, digest)).record(hopeless)
    with pytest.raises(InvalidInput, match="jobs must be at least 1; got 0"):
        Study(0, Store(tmp_path, pytest.fail, digest)).record(hopeless)
