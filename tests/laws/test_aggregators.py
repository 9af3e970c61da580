"""What rules of the registry keep to beyond the laws of `holdfast.testing`, which are in `test_registries.py`."""

from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from parts import (
    NO_MATRICES,
    NO_POSITIVE_NUMBERS,
    NO_WHOLE_NUMBERS,
    Case,
    attacked_rows,
    claimed,
    layouts,
    options,
    plainly,
    random_rows,
    rounding,
    seeds,
)

from holdfast.aggregators import (
    REGISTRY,
    CenteredClipping,
    GeometricMedian,
    Krum,
    Mean,
    Median,
    MultiKrum,
    Remembering,
    Rule,
    TrimmedMean,
    Weighted,
    squared_distances,
)
from holdfast.errors import InvalidInput
from holdfast.methods import tell
from holdfast.typing import Messages, Nothing, Rows, Vector

pytestmark = pytest.mark.usefixtures("tabled")

BYZANTINE = 3

RULES: list[Rule] = [tell(member(), BYZANTINE) for member in REGISTRY.values()]
MEMBERS = pytest.mark.parametrize("member", REGISTRY.values(), ids=REGISTRY)
every_rule = pytest.mark.parametrize("rule", RULES, ids=list(REGISTRY))
every_type = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def every(*families: type) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("rule", [rule for rule in RULES if isinstance(rule, families)], ids=str)


@every(Weighted)
@given(seeds)
def test_weights_are_shares_and_none_goes_to_rows_without_numbers(rule: Weighted, seed: int) -> None:
    rows = random_rows(seed)
    rows[2, 1], rows[5, 0], rows[9, 3] = np.nan, np.inf, -np.inf
    weights = rule.weights(rows)
    np.testing.assert_allclose(weights.sum(), 1)
    assert (weights >= 0).all()
    assert not weights[[2, 5, 9]].any()


@every_rule
@every_type
def test_input_of_any_layout_is_read_and_left_alone(rule: Rule, dtype: type) -> None:
    plain: Rows = random_rows(d=6).astype(dtype)[::-1, ::2].copy()
    for rows in layouts(plain):
        before = rows.tobytes()
        np.testing.assert_allclose(rule(rows), rule(plain), rtol=1e-5)
        assert rows.tobytes() == before


@every_rule
def test_whole_numbers_and_lists_are_read_as_float64(rule: Rule) -> None:
    rows = (10 * random_rows()).round()
    for given_as in (rows.astype(np.int64), rows.tolist(), rows.astype(np.float16)):
        result = rule(cast(Any, given_as))
        assert result.dtype == np.float64
        np.testing.assert_allclose(result, rule(rows))


@pytest.mark.parametrize("rule", [Mean(), Median(), TrimmedMean(0), GeometricMedian(), CenteredClipping()], ids=str)
@every_type
def test_one_row_of_one_number(rule: Rule, dtype: type) -> None:
    assert rule(np.array([[2.5]], dtype)).tolist() == [2.5]


@every_rule
def test_many_rows_of_one_number(rule: Rule) -> None:
    rows = np.arange(15.0)[:, np.newaxis] ** 2
    assert rule(rows).shape == (1,)
    assert 0 <= rule(rows)[0] <= 196


class Heard(Remembering[Nothing]):
    """What it received, for the test to see."""

    def init(self, model: Vector) -> Nothing:
        return Nothing()

    def step(self, state: Nothing, messages: Messages) -> tuple[Vector, Nothing]:
        return np.array([*messages.workers, messages.round], np.float64), state


def test_bare_rows_are_those_of_workers_from_1_on_in_round_0() -> None:
    assert Heard()(np.ones((3, 2))).tolist() == [1, 2, 3, 0]


@every_rule
@pytest.mark.parametrize("rows", NO_MATRICES.values(), ids=NO_MATRICES)
def test_what_is_no_matrix_of_numbers_is_refused_in_one_line(rule: Rule, rows: Any) -> None:
    with pytest.raises(InvalidInput) as refusal:
        rule(rows)
    assert str(rule) in str(refusal.value)
    assert "; got " in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_too_few_rows_are_refused() -> None:
    with pytest.raises(InvalidInput, match="n >= byzantine \\+ 3; got n=5, byzantine=3"):
        Krum(byzantine=3)(np.ones((5, 2)))
    with pytest.raises(InvalidInput, match="n > 2 \\* trim; got n=6, trim=3"):
        TrimmedMean(trim=3)(np.ones((6, 2)))
    assert Krum(byzantine=3)(np.ones((6, 2))).tolist() == TrimmedMean(trim=3)(np.ones((7, 2))).tolist() == [1, 1]


def test_multi_krum_selects_from_those_that_may_be_honest() -> None:
    with pytest.raises(InvalidInput, match="MultiKrum needs n >= byzantine \\+ 3; got n=5, byzantine=3"):
        MultiKrum(byzantine=3)(np.ones((5, 2)))
    with pytest.raises(InvalidInput, match="selected <= n - byzantine; got selected=5, n=6, byzantine=2"):
        MultiKrum(byzantine=2, selected=5)(np.ones((6, 2)))
    assert MultiKrum(byzantine=2, selected=4)(np.ones((6, 2))).tolist() == [1, 1]


@MEMBERS
def test_a_rule_that_needs_a_count_says_so_and_a_run_tells_it(member: type[Rule]) -> None:
    rule = member()
    if member.declared_option not in options(member, int):
        assert tell(rule, BYZANTINE) is rule
        return
    with pytest.raises(InvalidInput) as refusal:
        rule(random_rows())
    name = member.__name__
    assert str(refusal.value) == f"{name} needs {member.declared_option}, the number of rows that may lie; got none"
    assert tell(rule, BYZANTINE) == cast(Any, member)(**{member.declared_option: BYZANTINE})
    assert tell(tell(rule, 1), BYZANTINE) == tell(rule, 1)


@MEMBERS
def test_numbers_that_cannot_be_are_refused_in_one_shape(member: Any) -> None:
    for option in options(member, int):
        for wrong in NO_WHOLE_NUMBERS:
            with pytest.raises(InvalidInput, match=f"^{member.__name__} needs a whole number {option} >= [01]; got "):
                member(**{option: wrong})
        made = getattr(member(**{option: np.int32(1)}), option)
        assert (made, type(made)) == (1, int)
    for option in options(member, float):
        for wrong in NO_POSITIVE_NUMBERS:
            with pytest.raises(InvalidInput, match=f"^{member.__name__} needs a finite number {option} > 0; got "):
                member(**{option: wrong})
        made = getattr(member(**{option: np.float32(0.5)}), option)
        assert (made, type(made)) == (0.5, float)


@MEMBERS
def test_none_is_no_number_but_where_a_run_may_tell_it(member: Any) -> None:
    for option in options(member, int):
        if getattr(member, option) is not None:
            with pytest.raises(InvalidInput, match=f"needs a whole number {option} >= [01]; got {option}=None"):
                member(**{option: None})
        assert getattr(member(), option) == getattr(member, option)


def test_the_refusal_of_a_count_to_the_letter() -> None:
    with pytest.raises(InvalidInput) as refusal:
        Krum(byzantine=cast(Any, 1.5))
    assert str(refusal.value) == "Krum needs a whole number byzantine >= 0; got byzantine=1.5"


@every_rule
@given(st.data())
def test_whatever_some_rows_hold_the_result_stays_within_the_claimed_bound(rule: Rule, data: st.DataObject) -> None:
    least, spare = rule.needs
    rows, lies = data.draw(attacked_rows(least=least, spare=spare))
    honest, q = rows[~lies], int(lies.sum())
    bound = claimed(rule, honest, len(rows), q)
    assert rule.bounded == (bound < np.inf), "its bound is stated in parts.py"
    if bound < np.inf:
        result = cast(Rule, tell(type(rule)(), q))(rows).astype(np.float64)
        assert np.linalg.norm(result - honest.astype(np.float64).mean(axis=0)) <= bound + rounding(honest)


@given(attacked_rows(least=2, spare=1))
def test_median_and_trimmed_mean_stay_between_honest_values(case: Case) -> None:
    rows, lies = case
    honest = rows[~lies]
    rules: list[Rule] = [Median(), TrimmedMean(trim=int(lies.sum()))]
    for rule in rules:
        result = rule(rows)
        assert (result >= honest.min(axis=0) - rounding(honest)).all()
        assert (result <= honest.max(axis=0) + rounding(honest)).all()


@given(attacked_rows(least=2, spare=3))
def test_krum_chooses_a_row_within_reach_of_an_honest_one(case: Case) -> None:
    """An honest row scores at most (n - q - 2) times the honest diameter squared.

    The chosen row scores no more, and one of its neighbours is honest.
    """
    rows, lies = case
    honest, neighbours = rows[~lies], len(rows) - lies.sum() - 2
    result = Krum(byzantine=int(lies.sum()))(rows)
    assert (result == rows).all(axis=1).any()
    nearest = np.sqrt(plainly(np.vstack([result, honest]))[0, 1:].min())
    assert nearest <= np.sqrt(neighbours * plainly(honest).max()) * (1 + 1e-6)


@given(attacked_rows(least=2, spare=3))
def test_multi_krum_mixes_rows_within_reach_of_honest_ones(case: Case) -> None:
    """The n - q best scores are no larger than the largest honest score, so what holds for Krum holds for each."""
    rows, lies = case
    honest, q = rows[~lies], int(lies.sum())
    weights = MultiKrum(byzantine=q).weights(rows)
    assert sorted(weights)[q:] == [1 / (len(rows) - q)] * (len(rows) - q)
    for chosen in rows[weights > 0]:
        nearest = np.sqrt(plainly(np.vstack([chosen, honest]))[0, 1:].min())
        assert nearest <= np.sqrt((len(rows) - q - 2) * plainly(honest).max()) * (1 + 1e-6)


@given(attacked_rows(least=2, spare=1))
def test_geometric_median_stays_within_its_bound(case: Case) -> None:
    """|result - mean| <= 2 (n - q) / (n - 2q) max_i |v_i - mean|, over honest i (Minsker, 2015, Lemma 2.1)."""
    rows, lies = case
    honest, rule = rows[~lies], GeometricMedian()
    reach = claimed(rule, honest, len(rows), int(lies.sum()))
    assert np.linalg.norm(rule(rows) - honest.astype(np.float64).mean(axis=0)) <= reach + rounding(honest)


def clipped_plainly(rows: Rows, centre: Vector, radius: float, steps: int) -> Vector:
    """v <- v + mean_i (x_i - v) min(1, radius / |x_i - v|) in extended precision; what is not finite adds 0."""
    v = centre.astype(np.longdouble)
    numbers = np.where(np.isfinite(rows).all(axis=1, keepdims=True), rows, np.nan).astype(np.longdouble)
    for _ in range(steps):
        away = numbers - v
        lengths = np.maximum(np.sqrt((away**2).sum(axis=1, keepdims=True)), radius)
        v = v + np.nan_to_num(away * (radius / lengths), nan=0).sum(axis=0) / len(rows)
    return v.astype(np.float64)


radii, steps_taken = st.sampled_from([1e-3, 0.5, 3.0, 1e4]), st.integers(1, 6)


@every_type
@given(seed=seeds, radius=radii, steps=steps_taken, offset=st.sampled_from([0.0, 1.0, 300.0]))
def test_centred_clipping_is_its_formula(dtype: type, seed: int, radius: float, steps: int, offset: float) -> None:
    rows: Rows = (random_rows(seed) + offset).astype(dtype)
    rows[1] *= 1e4
    rows[2, 3], rows[3, 0] = np.nan, -np.inf
    centre: Vector = random_rows(seed + 1)[0].astype(dtype)
    rule = CenteredClipping(radius, steps)
    result, state = rule.step(rule.init(centre)._replace(vector=centre), Messages(rows, np.arange(1, 16), 0))
    expected = clipped_plainly(rows, centre, radius, steps)
    tolerance = float(np.finfo(dtype).eps) * (np.abs(rows[[0, *range(4, 15)]]).max() + 20 * steps**2 * radius)
    np.testing.assert_allclose(result, expected, rtol=0, atol=20 * tolerance)
    assert state.vector is result


@given(attacked_rows(least=2, spare=1), seeds, radii, steps_taken)
def test_lies_move_centred_clipping_by_two_shares_of_its_radius(
    case: Case, seed: int, radius: float, steps: int
) -> None:
    """A row adds a vector of length `radius` at most; a step never takes two centres farther apart."""
    rows, lies = case
    other = rows.copy()
    other[lies] = random_rows(seed, *rows[lies].shape)
    rule = CenteredClipping(radius, steps)
    one, two = rule(rows), rule(other)
    slack = 1e-5 * radius * steps + 10 * rounding(other)
    assert np.linalg.norm(one) <= radius * steps + slack
    assert np.linalg.norm(one - two) <= 2 * lies.sum() * radius * steps / len(rows) + slack


@every_rule
@pytest.mark.parametrize("size", [1e10, 1e38, 9e153, 1.3e154, 1e200, 1e308])
def test_a_lie_of_any_size_raises_no_warning(rule: Rule, size: float) -> None:
    """Around 1e154 squares are still finite while their sums are not."""
    rows = random_rows(d=1)
    rows[:BYZANTINE] = [[size], [0.9 * size], [-size]]
    assert abs(rule(rows)[0]) <= 1 + claimed(rule, rows[BYZANTINE:], len(rows), BYZANTINE)


@every_rule
@pytest.mark.parametrize("lie", [np.nan, np.inf, -np.inf])
def test_rules_that_claim_a_bound_let_no_row_through(rule: Rule, lie: float) -> None:
    rows = random_rows()
    rows[4] = lie
    bounded = claimed(rule, np.delete(rows, 4, axis=0), 11, BYZANTINE) < np.inf
    assert np.isfinite(rule(rows)).all() or not bounded


@given(seeds, st.sampled_from([np.float32, np.float64]), st.sampled_from([1.0, 1e-15, 1e15]))
def test_squared_distances_are_those_of_two_loops(seed: int, dtype: type, size: float) -> None:
    rows: Rows = (size * random_rows(seed, n=5)).astype(dtype)
    distances = squared_distances(rows)
    assert distances.dtype == np.float64
    np.testing.assert_allclose(distances, plainly(rows), rtol=float(8 * np.finfo(dtype).eps))
    np.testing.assert_array_equal(distances, distances.T)
    assert not np.diag(distances).any()


def test_squared_distances_survive_an_offset_that_a_gramian_does_not() -> None:
    rows = (1e4 + 0.01 * random_rows(n=5, d=20)).astype(np.float32)
    true = plainly(rows)
    np.testing.assert_allclose(squared_distances(rows), true, rtol=1e-6)
    gramian = rows @ rows.T
    by_gramian = np.diag(gramian) + np.diag(gramian)[:, np.newaxis] - 2 * gramian
    assert np.abs(by_gramian - true).max() > 100 * true.max()  # so the case has teeth


def test_krum_sees_through_an_offset() -> None:
    """Steps of 1/256 are exact on an offset of 8192; the middle row of the cluster has the nearest 4 neighbours."""
    steps = np.array([0, 1, 3, 4, 2], np.float32)[:, np.newaxis] * np.ones(300, np.float32) / 256
    rows = np.vstack([8192 + steps, np.full((1, 300), -3e4, np.float32)])
    np.testing.assert_array_equal(Krum(byzantine=0)(rows), rows[4])


def test_rows_without_numbers_are_infinitely_far() -> None:
    rows = np.array([[0.0, 1.0], [np.nan, 0.0], [0.0, np.inf], [0.0, np.inf], [1e200, 0.0]])
    distances = squared_distances(rows)
    off_diagonal = ~np.eye(5, dtype=bool)
    assert (distances[off_diagonal] == np.inf).all()
    assert (np.diag(distances) == 0).all()


@every_rule
@every_type
def test_a_tensor_gives_the_tensor_of_what_the_array_gives(rule: Rule, dtype: type) -> None:
    torch = pytest.importorskip("torch")
    rows: Rows = random_rows().astype(dtype)
    result = cast(Any, rule)(torch.from_numpy(rows.copy()))
    assert isinstance(result, torch.Tensor)
    np.testing.assert_array_equal(result.numpy(), rule(rows))
