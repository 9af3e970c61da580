"""Finished runs on disk: they read back equal, and what is not theirs is not believed."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import holdfast
from holdfast.experiments import Spec, run
from holdfast.experiments.defaults import resolved
from holdfast.experiments.metrics import Evaluation
from holdfast.reproduction.records import Record
from holdfast.reproduction.store import Store

SPEC = resolved(Spec(data="digits", rounds=4, eval_every=2, norm=float("inf"), attack="same-value", byzantine=8))

finite = st.floats(allow_nan=False, allow_infinity=False)
evaluations = st.builds(Evaluation, st.integers(1), st.none() | finite, finite, finite, finite)
records = st.builds(
    Record,
    spec=st.builds(Spec, norm=st.floats(1, allow_nan=False), seed=st.integers(0), rate=finite).map(resolved),
    history=st.lists(evaluations).map(tuple),
    rounds=st.integers(1),
    diverged=st.none() | st.integers(1),
    ceiling=st.none() | finite,
    seconds=finite,
    evaluation_seconds=finite,
)


@pytest.fixture(scope="module")
def record() -> Record:
    return Record.of(run(SPEC))


@given(record=records)
def test_a_record_is_strict_json_and_reads_back_equal(record: Record) -> None:
    assert Record.of_json(json.loads(json.dumps(record.to_json(), allow_nan=False))) == record


def test_a_run_is_found_again(record: Record, tmp_path: Path) -> None:
    warnings: list[str] = []
    store = Store(tmp_path / "runs", "digest", warnings.append)
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
        (lambda path: changed(path, '"diverged": null', '"diverged": 3'), "its checksum is wrong"),
    ],
)
def test_a_harmed_file_is_told_and_not_believed(
    harm: Callable[[Path], object], reason: str, record: Record, tmp_path: Path
) -> None:
    warnings: list[str] = []
    store = Store(tmp_path, "digest", warnings.append)
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
    store = Store(tmp_path, "digest", warnings.append)
    store.keep(record)
    assert replace(store, data_sha256="other").find(SPEC) is None
    other = replace(SPEC, seed=1)
    store.keep(replace(record, spec=other))
    store._path(SPEC).replace(store._path(other))
    assert store.find(other) is None
    store.keep(record)
    monkeypatch.setattr(holdfast, "__version__", "0.0.9")
    assert store.find(SPEC) is None
    assert [line.rpartition(": ")[2] for line in warnings] == [
        "it is of other data", "it is of another spec", "it is of holdfast 0.1.0",
    ]  # fmt: skip
