"""RSA with a penalty of one's own: one class from outside, on every engine, in every spelling, resumed and checked."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from holdfast.errors import InvalidInput
from holdfast.methods import Rsa, make_method, method_text
from holdfast.runs.observers import Interrupted
from holdfast.runs.runner import resume, run
from holdfast.runs.spec import Spec
from holdfast.testing import check_penalty
from holdfast.typing import Rows
from own_penalty import Huber, Signs
from stopping import StopAfter

BASE = Spec(data="digits", workers=8, rounds=20, eval_every=10, byzantine=2, attack="sign-flip", rate=0.001)
HUBER = "rsa:norm=own_penalty:Huber:delta=0.002,penalty=0.07"


@pytest.mark.parametrize("penalty", [Huber(), Huber(0.3, 2.0), Signs(0.5)])
def test_it_obeys_the_laws(penalty: Huber | Signs) -> None:
    assert check_penalty(penalty, examples=25).holds


def test_a_penalty_that_pulls_too_hard_is_caught() -> None:
    @dataclass(frozen=True)
    class Square(Huber):
        """No bound on its subgradient."""

        def subgradient(self, rows: Rows) -> Rows:
            return np.asarray(self.weight * np.nan_to_num(rows), rows.dtype)

    report = check_penalty(Square(), raise_on_failure=False, examples=25)
    assert not report["bounds-the-dual-norm"].holds


def test_every_spelling_is_the_same_method() -> None:
    spelled = make_method(HUBER)
    assert spelled == Rsa(norm=Huber(delta=0.002), penalty=0.07)
    assert (
        make_method({"name": "rsa", "norm": {"name": "own_penalty:Huber", "delta": 0.002}, "penalty": 0.07}) == spelled
    )
    assert make_method(method_text(spelled)) == spelled
    assert make_method("rsa:norm=own_penalty:Huber") == Rsa(norm=Huber)
    spec = replace(BASE, method=spelled)
    assert Spec.of_tables(spec.tables()) == spec
    assert [source["name"] for source in spec.sources()] == ["own_penalty:Huber"]


def test_the_l1_norm_written_plainly_is_rsa_with_norm_1() -> None:
    expected = run(replace(BASE, method="rsa:norm=1,penalty=0.07"))
    found = run(replace(BASE, method="rsa:norm=own_penalty:Signs,penalty=0.07"))
    np.testing.assert_allclose(found.model, expected.model, rtol=0, atol=1e-6)


def test_a_step_by_hand() -> None:
    """One worker at 3, one at 0.05 of the master at 0, delta 0.1, lambda 2: the pull is 2 (-1) + 2 (-0.5) = -3."""
    pull = Huber(2.0).pull(np.zeros(1), np.array([[3.0], [0.05]]))
    assert pull.tolist() == [-3.0]


@pytest.mark.parametrize("method", [HUBER, HUBER.replace("rsa", "watchful-rsa")])
def test_a_resumed_run_is_the_uninterrupted_one(method: str, tmp_path: Path) -> None:
    spec, stop = replace(BASE, method=method), StopAfter(7)
    with pytest.raises(Interrupted):
        run(spec, tmp_path / "run", stop, stop)
    assert resume(tmp_path / "run").model.tobytes() == run(spec).model.tobytes()


def test_auto_finds_its_weight() -> None:
    found = run(replace(BASE, method="rsa:norm=own_penalty:Huber:delta=0.0002", rate=None, rounds=100))
    assert found.spec.method.penalty > 0  # type: ignore[operator]
    assert found.accuracy is not None
    assert found.accuracy > 0.9


def test_what_is_no_penalty_is_refused() -> None:
    with pytest.raises(InvalidInput, match="a penalty must derive from Penalty; got"):
        make_method("rsa:norm=outsiders:Middle")
    with pytest.raises(InvalidInput, match=r"norm must be a number >= 1 or package.module:Name; got '0\.5'"):
        make_method("rsa:norm=0.5")
    with pytest.raises(InvalidInput, match="bits and the coin for ties need norm 1; got norm=Huber"):
        make_method("rsa:norm=own_penalty:Huber,messages=bits")
