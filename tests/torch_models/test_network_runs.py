"""Runs with networks: on record, resumed, on other engines, always to the same bits."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from holdfast.cli import main
from holdfast.errors import InvalidInput
from holdfast.problems.modules import WAYS
from holdfast.problems.modules.networks import Mlp
from holdfast.runs.observers import Interrupted
from holdfast.runs.runner import resume, run
from holdfast.runs.spec import Spec

pytest.importorskip("torch")

SMALL = Spec(
    data="digits",
    model="mlp:hidden=16",
    method="rsa:norm=2,penalty=0.005",
    attack="sign-flip",
    byzantine=4,
    rate=2.0,
    rounds=60,
    eval_every=20,
    checkpoint_every=20,
)


def test_a_spec_with_a_network_reads_back(tmp_path: Path) -> None:
    spec = replace(SMALL, model=Mlp(hidden=16), augment="shift", device="cpu")
    (tmp_path / "spec.toml").write_text(spec.to_toml())
    assert Spec.read(tmp_path / "spec.toml") == spec
    assert Spec.of_tables(spec.tables()) == spec


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"normalise": "none"}, "normalise needs a model"),
        ({"device": "cuda"}, "device needs a model"),
        ({"model": "lenet"}, "unknown model 'lenet'.*softmax, mlp, cnn, resnet8"),
        ({"model": "mlp:layers=2"}, "hidden, depth"),
        ({"model": "mlp", "problem": "own_problem:make"}, "takes its loss from one of the problems softmax"),
        ({"gradients": "stacked"}, "gradients needs a model, such as model=mlp; got none"),
        ({"chunk": 3, "problem": "own_problem:make"}, "chunk needs a model, such as model=mlp; got none"),
        ({"model": "mlp", "gradients": "quick"}, "unknown way to gradients 'quick'"),
        (
            {"engine": "simulated:gradients=stacked"},
            "gradients is an option of the problem, --gradients, not of the engine",
        ),
        ({"engine": {"name": "ray", "chunk": 3}}, "chunk is an option of the problem, --chunk, not of the engine"),
        ({"model": "mlp", "device": "cuda"}, "device must be one that PyTorch finds here; got cuda"),
    ],
)
def test_what_does_not_fit_is_refused(given: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason):
        run(Spec(data="digits", rounds=1, **given))


def test_the_way_is_chosen_once_and_on_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_CACHE", str(tmp_path / "cache"))
    first, second = (run(SMALL, tmp_path / name) for name in ("first", "second"))
    specs = [Spec.read(tmp_path / name / "spec.toml") for name in ("first", "second")]
    assert specs[0] == specs[1]
    assert specs[0].gradients in WAYS
    assert specs[0].chunk
    assert json.loads((tmp_path / "first/versions.json").read_text())["engine"] == "simulated"
    assert np.array_equal(first.model, second.model)
    assert len(list((tmp_path / "cache/gradients").iterdir())) == 1


def test_a_way_that_is_asked_for_is_used_and_resumed(tmp_path: Path) -> None:
    run(replace(SMALL, gradients="stacked", chunk=3), tmp_path / "run")
    kept = Spec.read(tmp_path / "run/spec.toml")
    assert (kept.gradients, kept.chunk) == ("stacked", 3)


@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize("method", ["rsa:norm=2,penalty=0.005", "rsa:norm=1,penalty=0.0005", "median"])
def test_interrupted_and_resumed_to_the_same_bits(method: str, momentum: float, tmp_path: Path) -> None:
    spec = replace(SMALL, method=method, momentum=momentum, rate=0.5)
    whole = run(spec)
    asked = iter(range(1000))
    with pytest.raises(Interrupted):
        run(spec, tmp_path / "run", stopping=lambda: next(asked) > 30)
    resumed = resume(tmp_path / "run")
    assert np.array_equal(resumed.model, whole.model)
    assert resumed.history == whole.history


def test_killed_and_resumed_to_the_same_bits(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    words = ["run", "--data", "digits", "--model", "cnn:kernel=3,padding=1", "--method", "rsa:norm=2,penalty=0.005"]
    words += ["--rate", "1", "--rounds", "60", "--eval-every", "10", "--checkpoint-every", "5", "--attack", "gaussian"]
    words += ["--byzantine", "4", "--gradients", "layered", "--chunk", "4"]
    started = subprocess.Popen([sys.executable, "-m", "holdfast", *words, "--out", str(folder)])
    while not (folder / "checkpoint.npz").exists() and started.poll() is None:
        time.sleep(0.01)
    os.kill(started.pid, signal.SIGKILL)
    started.wait()
    assert not (folder / "result.json").exists()
    assert main(["resume", str(folder)]) == 0
    assert main([*words, "--out", str(tmp_path / "whole")]) == 0
    assert np.array_equal(np.load(folder / "model.npy"), np.load(tmp_path / "whole/model.npy"))


def test_some_workers_at_a_time(tmp_path: Path) -> None:
    """The loop serves those that are asked and nobody else."""
    run(replace(SMALL, participation=0.3, rounds=3), tmp_path / "run")
    assert Spec.read(tmp_path / "run/spec.toml").gradients == "loop"


def test_a_network_learns_under_attack() -> None:
    """Momentum, five local steps, RSA and a rule, under attack."""
    for method in ("rsa:norm=2,penalty=0.02,local_steps=5", "trimmed-mean"):
        result = run(replace(SMALL, method=method, momentum=0.9, rate=2.0, rounds=200, l2=1e-4))
        assert result.accuracy is not None
        assert result.accuracy > 0.9
        assert result.personal is not None
        assert result.ceiling == 1.0
