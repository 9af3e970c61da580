"""A run outlives its machine: begun on one engine, it is resumed on another, to the same bits."""

import sys
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from holdfast.cli import main
from holdfast.engines.engine import train
from holdfast.engines.engine_options import Ray
from holdfast.errors import EngineError
from holdfast.runs.observers import Interrupted
from holdfast.runs.runner import resume, run
from holdfast.runs.spec import Spec

pytest.importorskip("ray")
pytest_plugins = ["warm"]
pytestmark = [
    pytest.mark.usefixtures("ray"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

SPEC = Spec(
    data="digits",
    method="rsa",
    workers=7,
    rounds=20,
    eval_every=5,
    checkpoint_every=4,
    batch=4,
    byzantine=2,
    attack="gaussian",
)
ENGINES: dict[str, Any] = {"one process": "simulated", "one shard": Ray(shards=1), "two shards": Ray(shards=2)}
MOVES = [("two shards", "one process"), ("one process", "two shards"), ("two shards", "one shard")]


@pytest.mark.parametrize(("before", "after"), MOVES, ids=[" to ".join(move) for move in MOVES])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"method": "rsa:messages=bits"},
        {"method": "watchful-rsa:messages=bits,every=1", "attack": "contrarian"},
        {"attack": "delayed:rounds=3"},
    ],
    ids=["rsa", "bits", "sides", "delayed"],
)
def test_a_run_moves_from_engine_to_engine(changes: Any, before: str, after: str, tmp_path: Path) -> None:
    spec = replace(SPEC, **changes)
    run(spec, tmp_path / "whole")
    rounds = count()
    with pytest.raises(Interrupted):
        run(replace(spec, engine=ENGINES[before]), tmp_path / "run", stopping=lambda: next(rounds) > 18)
    result = resume(tmp_path / "run", engine=ENGINES[after])
    assert result.rounds == 20
    for name in ("records.jsonl", "model.npy"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_a_run_without_workers_says_how_to_go_on_and_that_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lost(*given: Any) -> Any:
        for number, state in enumerate(train(*given)):
            if given[3].start + number >= 10:
                raise EngineError("shard 1 was lost")
            yield state

    whole, out = tmp_path / "whole", tmp_path / "run"
    run(SPEC, whole)
    (tmp_path / "spec.toml").write_text(SPEC.to_toml())
    with monkeypatch.context() as patch:
        patch.setattr(sys.modules["holdfast.runs.execution"], "train", lost)
        argv = ["run", str(tmp_path / "spec.toml"), "--engine", "ray", "--shards", "2", "--out", str(out)]
        assert main(argv) == 130
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "resume with" in line]
    hint = line.rpartition(": holdfast ")[2]
    assert "shard 1 was lost; resume with: " in line
    assert hint == f"resume {out} --engine simulated"
    assert main(hint.split()) == 0
    for name in ("records.jsonl", "model.npy"):
        assert (out / name).read_bytes() == (whole / name).read_bytes()
