"""Runs whose numbers are in golden.json still come out: every method, stage, attack and way to train on digits.

Accuracy and loss are compared everywhere, the model's bits on the processor that computed them.
"""

import json
import platform
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from holdfast.runs.runner import run
from holdfast.runs.spec import Spec

GOLDEN = json.loads(Path(__file__).with_name("golden.json").read_text())
RUNS: dict[str, dict[str, Any]] = GOLDEN["runs"]


def processor() -> str:
    """Return the name of this machine's processor, and which of that name it is."""
    about = Path("/proc/cpuinfo")
    pairs = [line.partition(":") for line in reversed(about.read_text().splitlines())] if about.exists() else []
    found = {key.strip(): value.strip() for key, _, value in pairs}
    names = [f"{key} {found[key]}" for key in ("model name", "cpu family", "model", "stepping") if key in found]
    return ", ".join(names) or platform.processor()


def compare_with_golden(kept: dict[str, Any]) -> None:
    result = run(Spec.of({"data": "digits", "rounds": 60, "eval_every": 20, **kept["spec"]}))
    assert result.diverged == kept["diverged"]
    if kept["last"] is not None:
        assert result.last is not None
        assert result.last.round == kept["last"]["round"]
        assert result.last.accuracy == pytest.approx(kept["last"]["accuracy"], abs=0.01)
        assert result.last.loss == pytest.approx(kept["last"]["loss"], rel=1e-2)
        assert [result.last.variance, result.last.distance] == pytest.approx(
            [kept["last"]["variance"], kept["last"]["distance"]], rel=1e-2
        )
    if processor() == GOLDEN["cpu"]:
        assert sha256(np.ascontiguousarray(result.model).tobytes()).hexdigest() == kept["sha256"]


@pytest.mark.parametrize("kept", RUNS.values(), ids=RUNS)
def test_a_golden_run_comes_out_again(kept: dict[str, Any]) -> None:
    compare_with_golden(kept)


def test_the_runs_differ() -> None:
    """Else a spec that ignores its fields would pass."""
    # bits and models with a coin for ties are alike by law, and far above is far above
    assert len({kept["sha256"] for kept in RUNS.values()}) > 0.8 * len(RUNS)
