"""The average of x0 over all rounds as the model that is measured and kept."""

from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from changed import ready
from holdfast.runs.experiment import assemble
from holdfast.runs.observers import Interrupted
from holdfast.runs.plan import remake_plan
from holdfast.runs.runner import resume, run
from holdfast.runs.spec import Spec

BASE = Spec(data="digits", workers=10, rounds=8, eval_every=4, batch=8, byzantine=2, attack="gaussian")


@pytest.mark.parametrize("method", ["rsa", "rsa:messages=bits", "median"])
def test_it_is_the_mean_of_the_models_after_each_round(method: str) -> None:
    spec = ready(replace(BASE, method=method))
    models = [run(replace(spec, rounds=rounds)).model.astype(np.float64) for rounds in range(1, 9)]
    found = run(replace(spec, evaluated="average"))
    np.testing.assert_allclose(found.model, np.mean(models, axis=0), rtol=1e-6, atol=1e-9)
    assert found.model.dtype == np.float32


def test_it_is_what_is_measured_and_workers_are_measured_as_ever() -> None:
    spec = ready(BASE)
    found, plain = run(replace(spec, evaluated="average")), run(spec)
    problem = assemble(remake_plan(spec)).problem
    assert found.last is not None
    assert found.accuracy == problem.evaluate(found.model)["accuracy"]
    assert [each.distance for each in found.history] == [each.distance for each in plain.history]
    assert [each.loss for each in found.history] != [each.loss for each in plain.history]


@pytest.mark.parametrize("after", [1, 5])
def test_a_resumed_run_keeps_it(after: int, tmp_path: Path) -> None:
    spec, rounds = replace(BASE, evaluated="average"), count()
    whole = run(spec, tmp_path / "whole")
    with pytest.raises(Interrupted):
        run(spec, tmp_path / "run", stopping=lambda: next(rounds) > after)
    resumed = resume(tmp_path / "run")
    assert resumed.model.tobytes() == whole.model.tobytes()
    assert resumed.history == whole.history
    assert (tmp_path / "run" / "model.npy").read_bytes() == (tmp_path / "whole" / "model.npy").read_bytes()
