"""What a run leaves behind in Python: the history as arrays, as a frame, and one short line."""

import sys
from dataclasses import replace

import numpy as np
import pytest

import holdfast as hf
import outsiders
from holdfast.errors import InvalidInput
from holdfast.methods import Rsa
from holdfast.runs.records import Result
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec

BASE = Spec(data="digits", method="rsa", workers=6, rounds=20, eval_every=8)


@pytest.fixture(scope="module")
def result() -> Result:
    return run(BASE)


def test_columns_are_those_of_the_history(result: Result) -> None:
    found = result.arrays()
    assert list(found) == ["round", "accuracy", "loss", "variance", "distance", "disagreement", "twins"]
    assert found["round"].tolist() == [8, 16, 20]
    assert found["round"].dtype.kind == "i"
    for name in ("accuracy", "loss", "variance", "distance"):
        assert found[name].tolist() == [getattr(each, name) for each in result.history]
    assert found["disagreement"].shape == found["twins"].shape == (3, 6)
    assert found["disagreement"][1].tolist() == result.history[1].disagreement


def test_what_was_not_measured_is_nan_or_absent() -> None:
    bits = run(replace(BASE, method="rsa:messages=bits")).arrays()
    assert not {"disagreement", "twins"} & set(bits)
    fit = run(replace(BASE, problem="least-squares", rate=1e-7)).arrays()
    assert np.isnan(fit["accuracy"]).all()
    assert np.isfinite(fit["loss"]).all()


def test_what_a_problem_measures_has_columns() -> None:
    found = hf.simulate(outsiders.Quadratic(np.eye(4)), "rsa", rounds=4, eval_every=2).arrays()
    assert list(found)[5:7] == ["length", "worst"]
    assert found["worst"].shape == (2,)
    assert found["worst"].dtype == np.float64


def test_a_run_that_diverged_at_once_has_empty_columns() -> None:
    result = run(replace(BASE, method="sgd", attack="infinite", byzantine=1))
    assert result.history == []
    assert {name: column.shape for name, column in result.arrays().items()} == dict.fromkeys(
        ["round", "accuracy", "loss", "variance", "distance"], (0,)
    )
    assert repr(result) == "Result(sgd on digits, diverged at round 1)"


def test_without_pandas_a_frame_says_what_it_needs(result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InvalidInput, match="a frame needs pandas: pip install pandas; got no module named pandas"):
        result.frame()


def test_a_frame_has_one_row_per_evaluation(result: Result) -> None:
    pytest.importorskip("pandas", reason="a frame is one of pandas")
    frame = result.frame()
    assert list(frame.columns) == ["round", "accuracy", "loss", "variance", "distance"]
    assert frame["round"].tolist() == [8, 16, 20]
    assert frame["loss"].tolist() == [each.loss for each in result.history]


def test_a_result_is_one_short_line(result: Result) -> None:
    assert isinstance(result.spec.method, Rsa)
    method = f"rsa:penalty={result.spec.method.penalty},ties=zero"
    assert repr(result) == f"Result({method} on digits, accuracy {result.accuracy:.4f} after 20 rounds)"
    own = hf.simulate(outsiders.Quadratic(np.eye(4)), outsiders.Middle(0.1), rounds=2)
    assert own.last is not None
    assert repr(own) == f"Result(outsiders:Middle:low=0.1 on Quadratic, loss {own.last.loss:.4g} after 2 rounds)"
    fit = run(replace(BASE, data=outsiders.squares(), problem="least-squares", rate=1e-3))
    assert "on squares, r2" in repr(fit)
    assert len(repr(fit)) < 120
