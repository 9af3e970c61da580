"""What searched attacks and closed forms promise: no less damage than the fixed constant, as far as bisection gets."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from changed import ready
from holdfast.aggregators import CoordinateWise, GeometricMedian, Krum, Mean, Median, Phocas, TrimmedMean
from holdfast.attacks import (
    Adaptive,
    Alie,
    ColludingAttack,
    FullView,
    InnerProduct,
    MinMax,
    MinSum,
    Sketch,
    line_search,
)
from holdfast.attacks.adaptive import FIXED
from holdfast.attacks.line_search import LineAttack, damage_along, damage_of, reduce_dimensions
from holdfast.attacks.perturbations import Perturbation, perturbation
from holdfast.attacks.threats import broadcast
from holdfast.methods.penalties import L1, L2
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.typing import Rows, Vector

pytestmark = pytest.mark.usefixtures("tabled")

SEARCHED = [(Alie(search="line"), Alie()), (InnerProduct(search="line"), InnerProduct())]
DIRECTIONS: tuple[Perturbation, ...] = get_args(Perturbation)


@dataclass(frozen=True)
class Pull:
    """What the master of RSA at `model` reads."""

    penalty: L1 | L2
    model: Vector

    def __call__(self, rows: Rows) -> Vector:
        return self.penalty.pull(self.model, rows)


def pulls(kind: type[L1 | L2]) -> Callable[[Rows], Any]:
    return lambda neutral: Pull(kind(0.3), neutral)


RULES: dict[str, Callable[[Rows], Any]] = {
    "mean": lambda neutral: Mean(),
    "median": lambda neutral: Median(),
    "trimmed": lambda neutral: TrimmedMean(2),
    "krum": lambda neutral: Krum(2),
    "geometric": lambda neutral: GeometricMedian(),
    "l1": pulls(L1),
    "l2": pulls(L2),
}


@st.composite
def rounds(draw: st.DrawFn, rule: str = "mean") -> FullView:
    seed, q = draw(st.integers(0, 2**32)), draw(st.integers(1, 2))
    h, d = draw(st.integers(q + 3, 9)), draw(st.integers(1, 5))
    generator = np.random.default_rng(seed)
    scale = draw(st.sampled_from([1e-3, 1.0, 1e3]))
    rows: Rows = (scale * (generator.normal(size=(h + 1, d)) + generator.normal(size=d))).astype(
        draw(st.sampled_from([np.float32, np.float64]))
    )
    neutral = rows[0] if rule in ("l1", "l2") or draw(st.booleans()) else np.zeros_like(rows[0])
    view = FullView.of(rows[1:], q, neutral, RULES[rule](neutral))
    return replace(view, own=np.ones_like(view.own))


def harm(attack: ColludingAttack, view: FullView) -> float:
    measured = damage_of(view)
    assert measured is not None
    return measured(attack(view))


@pytest.mark.parametrize(("searched", "fixed"), SEARCHED, ids=["alie", "inner-product"])
@pytest.mark.parametrize("rule", RULES)
@given(data=st.data())
def test_a_search_does_no_less_than_its_constant(
    rule: str, searched: ColludingAttack, fixed: ColludingAttack, data: st.DataObject
) -> None:
    view = data.draw(rounds(rule))
    assert harm(searched, view) >= harm(fixed, view)


@pytest.mark.parametrize("rule", RULES)
@given(data=st.data())
def test_the_adaptive_attack_does_no_less_than_what_it_tries(rule: str, data: st.DataObject) -> None:
    view = data.draw(rounds(rule))
    most = harm(Adaptive(), view)
    assert all(most >= harm(attack, view) for attack in (*FIXED, Alie(), InnerProduct()))


@pytest.mark.parametrize("evaluations", [1, 5, 9, 10, 11, 24, 48])
@pytest.mark.parametrize("kind", [Adaptive, Alie, InnerProduct])
def test_a_budget_is_kept(kind: Any, evaluations: int) -> None:
    """One more than the budget is what finds the target."""
    asked: list[int] = []

    def aggregate(rows: Rows) -> Vector:
        asked.append(len(rows))
        vector: Vector = np.median(rows, axis=0)
        return vector

    view = FullView.of(np.random.default_rng(0).normal(size=(6, 3)), 2, aggregate=aggregate)
    attack = Adaptive(evaluations) if kind is Adaptive else kind(search="line", evaluations=evaluations)
    attack(view)
    assert asked == [8] * (evaluations + 1)


@pytest.mark.parametrize("direction", DIRECTIONS)
@given(view=rounds())
def test_min_max_gets_as_far_as_bisection_and_keeps_its_bound(direction: Perturbation, view: FullView) -> None:
    view = replace(view, honest=view.honest.astype(np.float64), own=view.own.astype(np.float64))
    p, mean = perturbation(direction, view), view.honest.mean(axis=0)
    pairs = view.honest[:, np.newaxis] - view.honest
    bound = np.linalg.norm(pairs, axis=2).max()

    def reach(gamma: float) -> float:
        return float(np.linalg.norm(mean - gamma * p - view.honest, axis=1).max())

    low, high = 0.0, 10 * bound / max(float(np.linalg.norm(p)), 1e-30)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if reach(middle) <= bound else (low, middle)
    sent = MinMax(direction)(view)[0]
    assert np.linalg.norm(sent - mean) >= low * np.linalg.norm(p) * (1 - 1e-9)
    assert np.linalg.norm(sent - view.honest, axis=1).max() <= bound * (1 + 1e-9)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("bound", ["max", "min"])
@given(view=rounds())
def test_min_sum_fills_its_bound(direction: Perturbation, bound: Any, view: FullView) -> None:
    """The bound as the paper has it, over all pairs; gamma by the formula that needs them."""
    view = replace(view, honest=view.honest.astype(np.float64), own=view.own.astype(np.float64))
    sums = ((view.honest[:, np.newaxis] - view.honest) ** 2).sum(axis=(1, 2))
    limit = sums.max() if bound == "max" else sums.min()
    sent, mean = MinSum(direction, bound)(view)[0], view.honest.mean(axis=0)
    assert ((sent - view.honest) ** 2).sum() == pytest.approx(limit, rel=1e-9)
    p, spread = perturbation(direction, view), ((view.honest - mean) ** 2).sum()
    gamma = np.sqrt(max(limit - spread, 0) / (len(view.honest) * (p @ p)))
    assert np.linalg.norm(sent - mean) == pytest.approx(gamma * np.linalg.norm(p), rel=1e-6, abs=1e-9 * np.sqrt(limit))


@dataclass(frozen=True)
class AskedInFew(ColludingAttack):
    """A searched attack that compares, in every round, what it hears in few coordinates with what it would in all."""

    name: str = "alie"

    def __call__(self, view: FullView, /) -> Rows:
        searched = named(self.name)
        line, _ = searched.line(view)
        assert view.sketch is not None
        assert not view.sketch.by_columns
        assert reduce_dimensions(line, view) is not None
        few, full = damage_along(line, view), damage_along(line, replace(view, sketch=None))
        assert few is not None
        assert full is not None
        for constant in (0.05, -0.3, 1.5, 64.0):  # 0 is as far from all that are clipped
            assert few(constant) == pytest.approx(full(constant), rel=1e-3, abs=1e-4)
        assert harm(searched, view) >= harm(searched, replace(view, sketch=None)) * (1 - 1e-3)
        return searched(view)


def named(name: str) -> LineAttack:
    return Alie(search="line") if name == "alie" else InnerProduct(search="line")


@dataclass(frozen=True)
class AskedInColumns(ColludingAttack):
    """A searched attack that compares what it hears in some columns with these columns of the whole answer."""

    name: str = "alie"

    def __call__(self, view: FullView, /) -> Rows:
        searched = named(self.name)
        line, _ = searched.line(view)
        assert view.aggregate is not None
        assert view.sketch is not None
        assert view.sketch.by_columns
        shown, mean = damage_along(line, view), view.honest.mean(axis=0, dtype=np.float64)
        assert shown is not None
        d = view.honest.shape[1]
        middle = view.aggregate(np.tile(mean, (len(view.honest) + len(view.own), 1)).astype(view.honest.dtype))
        for constant in (0.05, -0.3, 1.5, 64.0):
            sent = broadcast(line(constant), view)
            off = (view.aggregate(np.concatenate([view.honest, sent])) - middle)[:: d // line_search.COLUMNS]
            assert shown(constant) == pytest.approx(np.linalg.norm(off) * np.sqrt(d / len(off)), rel=1e-3, abs=1e-4)
        return searched(view)


TURNING = ["rsa", "sgd", "geometric-median", "krum", "cge", "clip:radius=0.1+nnm+geometric-median", "bucketing+faba"]
LOOKING = ["rsa:norm=1", "median", "nnm+trimmed-mean", "centered-clipping", "watchful-rsa", "watch+krum"]
COLUMNWISE = ["median", "phocas", "nnm+trimmed-mean", "clip:radius=0.1+nnm+median", "bucketing+median"]


@pytest.mark.parametrize("name", ["alie", "inner-product"])
@pytest.mark.parametrize("method", TURNING)
def test_few_coordinates_tell_the_same_damage(method: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_search, "MANY", 1)
    spec = ready(
        Spec(data="digits", workers=12, method=method, attack="gaussian", byzantine=(2, 7), rounds=6, momentum=0)
    )
    spec = replace(spec, attack=AskedInFew(name))
    run(spec)
    run(replace(spec, participation=0.7))
    run(replace(spec, dtype="float64", weights="samples") if method == "rsa" else replace(spec, dtype="float64"))


@pytest.mark.parametrize("name", ["alie", "inner-product"])
@pytest.mark.parametrize("method", COLUMNWISE)
def test_some_columns_tell_their_damage(method: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_search, "MANY", 1)
    monkeypatch.setattr(line_search, "COLUMNS", 90)
    spec = ready(
        Spec(data="digits", workers=12, method=method, attack="gaussian", byzantine=(2, 7), rounds=6, momentum=0)
    )
    spec = replace(spec, attack=AskedInColumns(name))
    run(spec)
    run(replace(spec, participation=0.7, dtype="float64"))


@pytest.mark.parametrize("rule", [Median(), TrimmedMean(trim=3), Phocas(byzantine=3)])
@pytest.mark.parametrize("searched", [attack for attack, _ in SEARCHED])
def test_what_is_found_in_some_columns_harms_as_much(rule: CoordinateWise, searched: LineAttack) -> None:
    """Columns differ by a factor of ten, as those of a network's layers do, and lie in blocks, as they do."""
    generator = np.random.default_rng(0)
    sizes = np.repeat([1.0, 0.1, 0.3], [1_000, 90_000, 9_000])
    view = FullView.of((generator.normal(0.3, 1.0, (9, len(sizes))) * sizes).astype(np.float32), 3, aggregate=rule)
    shown = replace(view, sketch=Sketch(True, lambda rows, inner: rule(rows[:, inner:])))
    assert reduce_dimensions(searched.line(view)[0], shown) is not None
    assert harm(searched, shown) >= 0.98 * harm(searched, view)


@pytest.mark.parametrize("method", ["rsa:norm=1", "centered-clipping", "watchful-rsa", "watch+median"])
def test_who_remembers_or_has_no_columns_is_not_asked_in_some(method: str) -> None:
    @dataclass(frozen=True)
    class Looking(ColludingAttack):
        def __call__(self, view: FullView, /) -> Rows:
            assert view.aggregate is not None
            assert view.sketch is None
            return view.own

    spec = ready(Spec(data="digits", workers=10, method=method, attack="gaussian", byzantine=2, rounds=2))
    run(replace(spec, attack=Looking()))


@pytest.mark.parametrize("method", LOOKING)
def test_who_sees_coordinates_or_remembers_is_asked_in_all_of_them(method: str) -> None:
    @dataclass(frozen=True)
    class Looking(ColludingAttack):
        def __call__(self, view: FullView, /) -> Rows:
            assert view.aggregate is not None
            assert view.sketch is None or view.sketch.by_columns
            return view.own

    spec = ready(Spec(data="digits", workers=10, method=method, attack="gaussian", byzantine=2, rounds=2))
    run(replace(spec, attack=Looking()))


METHODS = ["rsa", "rsa:norm=2", "rsa:messages=bits", "sgd", "median", "krum", "nnm+trimmed-mean", "centered-clipping"]


@dataclass(frozen=True)
class Compared(ColludingAttack):
    """A searched attack that looks at every round at what its constant would have done."""

    name: str = "alie"

    def __call__(self, view: FullView, /) -> Rows:
        searched, fixed = SEARCHED[0] if self.name == "alie" else SEARCHED[1]
        assert harm(searched, view) >= harm(fixed, view)
        assert harm(Adaptive(), view) >= harm(fixed, view)
        return searched(view)


@pytest.mark.parametrize("name", ["alie", "inner-product"])
@pytest.mark.parametrize("method", METHODS)
def test_in_the_rounds_of_a_run_a_search_does_no_less(method: str, name: str) -> None:
    spec = ready(Spec(data="digits", workers=10, method=method, attack="gaussian", byzantine=(2, 7), rounds=8))
    spec = replace(spec, attack=Compared(name))
    run(spec)
    run(replace(spec, participation=0.7))
