"""lambda and alpha of a network, found before the first round."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from holdfast.runs.auto import MOVED, resolve_auto
from holdfast.runs.plan import fill_defaults
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.runs.workbench import SHARED

pytest.importorskip("torch")

NETWORK = Spec(
    data="digits",
    model="mlp:hidden=16",
    workers=8,
    schedule="constant-then-linear",
    l2=1e-4,
    rounds=150,
    eval_every=150,
)


@pytest.mark.parametrize(("norm", "attack"), [(1, "sign-flip"), (2, "gaussian")])
def test_a_run_without_numbers_learns_under_attack(norm: int, attack: str) -> None:
    result = run(replace(NETWORK, method=f"rsa:norm={norm}", attack=attack, byzantine=2))
    assert result.accuracy is not None
    assert result.accuracy > 0.85


@pytest.mark.parametrize(("norm", "longest"), [(1, sqrt), (2, lambda d: 1.0)])
def test_one_pull_of_all_workers_hardly_moves_the_start(norm: int, longest: object) -> None:
    found = resolve_auto(fill_defaults(replace(NETWORK, method=f"rsa:norm={norm},penalty=10")))
    start = SHARED.build(found).problem.start()
    moved = float(found.rate) * 10 * NETWORK.workers * longest(len(start))  # type: ignore[arg-type,operator]
    assert moved == pytest.approx(MOVED * np.linalg.norm(start), rel=0.01)


def test_the_numbers_are_the_same_again_and_rules_have_a_rate() -> None:
    for method in ("rsa", "median"):
        asked = fill_defaults(replace(NETWORK, method=method))
        assert resolve_auto(asked) == resolve_auto(asked)
        assert 0 < float(resolve_auto(asked).rate) < 100  # type: ignore[arg-type]


def test_a_problem_is_measured_once_for_all_attacks() -> None:
    """Only then is an arena of networks prepared in minutes: `auto` costs as much as hundreds of rounds."""
    alone, attacked = (fill_defaults(spec) for spec in (NETWORK, replace(NETWORK, attack="alie", byzantine=2)))
    assert SHARED.build(alone).problem is SHARED.build(attacked).problem
