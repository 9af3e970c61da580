"""Workers that count by their samples, as the server dealt them."""

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import holdfast as hf
from changed import ready
from holdfast.aggregators import REGISTRY, GeometricMedian, Mean, Median, TrimmedMean, Weighing
from holdfast.methods import Aggregated, Constant, Ridge, Rsa, Setting, WatchfulRsa
from holdfast.runs.composition import make_setting
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.runs.workbench import SHARED
from holdfast.typing import Messages, Rows

BASE = Spec(
    data="digits", workers=10, rounds=6, eval_every=3, batch=8, partition="quantity:alpha=0.5", weights="samples"
)
RULES: list[Any] = [Mean(), Median(), GeometricMedian(), TrimmedMean(trim=2)]
every_rule = pytest.mark.parametrize("rule", RULES, ids=str)


def column(*values: float) -> Rows:
    return np.array(values, np.float64)[:, np.newaxis]


def test_these_rules_take_weights() -> None:
    assert {name for name, rule in REGISTRY.items() if issubclass(rule, Weighing)} == {
        "mean", "median", "trimmed-mean", "geometric-median",
    }  # fmt: skip


@every_rule
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [7, 8])
@given(seed=st.integers(0, 1000), weight=st.sampled_from([0.25, 1.0, 3.0]))
def test_equal_weights_change_nothing(rule: Any, dtype: Any, n: int, seed: int, weight: float) -> None:
    rows: Rows = np.random.default_rng(seed).normal(size=(n, 3)).astype(dtype)
    found = rule.weigh(rows, np.full(n, weight))
    assert found.dtype == dtype
    np.testing.assert_allclose(found, rule(rows), rtol=1e-5, atol=1e-5)


@pytest.mark.usefixtures("tabled")
@pytest.mark.parametrize("rule", [Mean(), Median(), GeometricMedian(tolerance=1e-10)], ids=str)
@given(seed=st.integers(0, 1000), counts=st.lists(st.integers(1, 4), min_size=5, max_size=9))
@example(seed=850, counts=[1, 1, 1, 1, 1, 2, 4])
@example(seed=834, counts=[3, 4, 2, 2, 3])
def test_whole_weights_are_rows_repeated(rule: Any, seed: int, counts: list[int]) -> None:
    """Near a row a geometric median is found slowly: by the default tolerance it may be 1e-4 off, of a sum 1e-7 off."""
    rows = np.random.default_rng(seed).normal(size=(len(counts), 3))
    found = rule.weigh(rows, np.array(counts, np.float64))
    np.testing.assert_allclose(found, rule(np.repeat(rows, counts, axis=0)), rtol=1e-6, atol=1e-6)


@given(seed=st.integers(0, 1000), counts=st.lists(st.integers(1, 4), min_size=5, max_size=9))
@example(seed=850, counts=[1, 1, 1, 1, 1, 2, 4])  # between two rows: Weiszfeld's own steps take more than a thousand
@example(seed=423, counts=[1, 2, 2, 1, 4])
def test_a_weighted_geometric_median_has_the_least_sum_and_is_found(seed: int, counts: list[int]) -> None:
    weights, rows = np.array(counts, np.float64), np.random.default_rng(seed).normal(size=(len(counts), 3))
    solved = GeometricMedian().solve(rows, weights)
    assert solved.reason != "iteration limit"
    plain = GeometricMedian(tolerance=1e-10)(np.repeat(rows, counts, axis=0))
    sums = [weights @ np.linalg.norm(rows - point, axis=1) for point in (solved.weights @ rows, plain)]
    assert sums[0] <= sums[1] * (1 + 1e-6)


def test_a_row_with_more_than_half_of_the_weight_decides_however_far_it_is() -> None:
    rows = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1e12, 0.0]])
    np.testing.assert_allclose(GeometricMedian().weigh(rows, np.array([1.0, 1, 1, 4])), rows[3])


def test_medians_by_hand() -> None:
    """Weights 1 1 3 of 0 1 2: half of 5 is reached in the last. Of 1 1 2: exactly after 1, so between 1 and 2."""
    assert Median().weigh(column(0, 1, 2), np.array([1.0, 1, 3])).tolist() == [2.0]
    assert Median().weigh(column(0, 1, 2), np.array([1.0, 1, 2])).tolist() == [1.5]
    assert Median().weigh(column(0, np.nan, -np.inf), np.array([2.0, 1, 1])).tolist() == [0.0]


def test_half_of_the_weight_is_half_up_to_rounding() -> None:
    """Of 4 and a little, 1 + 1 is half if no more than 1e-12 of 4 are missing: 3.5e-12, but not 5e-12."""
    assert Median().weigh(column(0, 1, 2, 3), np.array([1, 1, 1, 1 + 7e-12])).tolist() == [1.5]
    assert Median().weigh(column(0, 1, 2, 3), np.array([1, 1, 1, 1 + 1e-11])).tolist() == [2.0]
    assert Median().weigh(column(0, 1, 2), 1e-8 * np.array([1, 1, 3])).tolist() == [2.0]


def test_a_trimmed_mean_by_hand() -> None:
    """Weights 2 1 1 1 1 of 0 1 2 3 9, trim 1: weight 2 goes at either end, all of 0, and of 9 and 3: (1 + 2) / 2."""
    rule = TrimmedMean(trim=1)
    assert rule.weigh(column(0, 1, 2, 3, 9), np.array([2.0, 1, 1, 1, 1])).tolist() == [1.5]
    assert rule.weigh(column(9, 1, 2, 3, 0), np.array([2.0, 1, 1, 1, 1])).tolist() == [2.5]
    with pytest.raises(hf.InvalidInput, match=r"the 1 heaviest rows to have less than half of the weight; got 0\.6"):
        rule.weigh(column(0, 1, 2), np.array([3.0, 1, 1]))
    with pytest.raises(hf.InvalidInput, match=r"the 1 heaviest rows to have less than half of the weight; got 0\.5"):
        rule.weigh(column(0, 1, 2), np.array([2.0, 1, 1]))


@every_rule
def test_a_row_with_more_than_half_of_the_weight_decides_and_lies_with_less_do_not(rule: Any) -> None:
    rows = np.random.default_rng(3).normal(size=(9, 2))
    if isinstance(rule, Median | GeometricMedian):
        np.testing.assert_allclose(rule.weigh(rows, np.array([9.0] + 8 * [1.0])), rows[0], atol=1e-9)
    if not isinstance(rule, Mean):
        weights = np.array([2.0, 2.0, *7 * [1.0]])
        for lie in (np.nan, np.inf, -1e30, 1e308):
            rows[:2] = lie
            assert (np.abs(rule.weigh(rows, weights)) < 100).all(), lie


@pytest.mark.parametrize("norm", [1.0, 2.0])
@pytest.mark.parametrize("method", [Rsa, WatchfulRsa])
def test_rsa_pulls_by_weight(method: type[Rsa], norm: float) -> None:
    """lambda 2, weights 0.5 and 1.5: x0 = 1 is pulled up by the one and down by the other: 2 (-0.5 + 1.5) = 2."""
    program = method(norm=norm, penalty=2.0).program(Setting(Constant(0.1), Ridge(0.0), weights=(0.5, 1.5, 7.0)))
    state = program.step(program.init(np.array([1.0])), Messages(column(5, -3), np.array([1, 2]), 0))
    np.testing.assert_allclose(state.model, [1 - 0.1 * 2])


def test_a_rule_estimates_the_weighted_sum() -> None:
    """Weights 0.5 and 1.5 of 4 and 8: 0.5 * 4 + 1.5 * 8 = 14."""
    program = Aggregated(Mean()).program(Setting(Constant(0.1), Ridge(0.0), weights=(0.5, 7.0, 1.5)))
    state = program.step(program.init(np.array([1.0])), Messages(column(4, 8), np.array([1, 3]), 0))
    np.testing.assert_allclose(state.model, [1 - 0.1 * 14])


@pytest.mark.parametrize("name", ["rsa", "ideal-rsa", "watchful-rsa"])
@pytest.mark.parametrize("attack", ["gaussian", "sign-flip"])
def test_weighed_bits_are_weighed_models_whose_ties_the_coin_decides(name: str, attack: str) -> None:
    spec = replace(BASE, byzantine=(3,), attack=attack)
    bits, full = (run(replace(spec, method=f"{name}:{about}")) for about in ("messages=bits", "norm=1,ties=coin"))
    assert bits.model.tobytes() == full.model.tobytes()


def test_they_are_samples_up_to_the_cap() -> None:
    spec = ready(BASE)
    problem = SHARED.build(spec).problem
    counts = np.diff(cast(Any, problem).shards.starts)
    capped = np.minimum(counts, 2 * counts.mean())
    np.testing.assert_allclose(make_setting(spec, problem).weights, capped / capped.mean())
    assert make_setting(replace(spec, weights="equal"), problem).weights == ()


@pytest.mark.parametrize(
    "method",
    [
        *("rsa", "ideal-rsa", "rsa:norm=2", "rsa:messages=bits", "watchful-rsa", "watchful-rsa:messages=bits"),
        *("sgd", "ideal-sgd", "median", "trimmed-mean", "geometric-median"),
    ],
)
def test_runs_differ_by_them(method: str) -> None:
    spec = replace(BASE, method=method, byzantine=(3,), attack="gaussian")
    first, again = run(spec), run(spec)
    assert first.model.tobytes() == again.model.tobytes()
    assert first.model.tobytes() != run(replace(spec, weights="equal")).model.tobytes()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"method": "krum"}, r"weights of workers are for rsa and the rules mean, .*, median, trimmed-mean; got Krum"),
        (
            {"method": "nnm+median"},
            "weights of workers pass through the stages clip, arc, bound, watch; got NearestNeighbourMixing",
        ),
        ({"method": "rsa-admm"}, "weights of workers need a method that heeds them; got rsa-admm"),
        ({"weights": "equal", "weight_cap": 3.0}, "weight_cap is for weights=samples; got 3 and weights=equal"),
    ],
)
def test_what_cannot_heed_them_says_so(changes: Any, said: str) -> None:
    with pytest.raises(hf.InvalidInput, match=said):
        run(replace(BASE, **changes))
