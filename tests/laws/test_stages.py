"""What stages of the registry keep to beyond the laws of `holdfast.testing`, alone and before every rule."""

from itertools import product
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from parts import (
    NO_MATRICES,
    NO_POSITIVE_NUMBERS,
    NO_WHOLE_NUMBERS,
    attacked_rows,
    claimed,
    layouts,
    options,
    plainly,
    random_rows,
    rounding,
    seeds,
    spread,
)

from holdfast import aggregators
from holdfast.aggregators import Median, Rule
from holdfast.errors import InvalidInput
from holdfast.methods import Aggregated, Constant, Ridge, Setting, WatchfulRsa, tell
from holdfast.stages import REGISTRY, Bucketing, NearestNeighbourMixing, Stage, Watch
from holdfast.streams import Stream
from holdfast.typing import Messages, Rows, Workers

pytestmark = pytest.mark.usefixtures("tabled")

BYZANTINE = 3

STAGES: list[Stage] = [tell(member(), BYZANTINE) for member in REGISTRY.values()]
MEMBERS = pytest.mark.parametrize("member", REGISTRY.values(), ids=REGISTRY)
every_stage = pytest.mark.parametrize("stage", STAGES, ids=list(REGISTRY))
every_rule = pytest.mark.parametrize("rule", aggregators.REGISTRY.values(), ids=aggregators.REGISTRY)
every_type = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def of_workers(rows: Rows, round: int = 7, seed: int = 1) -> Messages:
    """The rows as messages of workers whose numbers are neither in order nor next to each other."""
    numbers = np.random.default_rng(len(rows)).permutation(np.arange(3, 3 * len(rows) + 3, 3))
    return Messages(rows, numbers, round, seed)


def by_worker(messages: Messages) -> dict[int, list[float]]:
    rows = cast(Rows, messages.rows)
    return dict(zip(messages.workers.tolist(), rows.astype(np.float64).tolist(), strict=True))


@every_stage
@given(seeds, st.permutations(range(15)), st.booleans())
def test_the_order_of_the_rows_does_not_matter(stage: Stage, seed: int, order: list[int], ties: bool) -> None:
    rows = random_rows(seed)
    messages = of_workers(rows.round() if ties else rows)
    moved = messages._replace(rows=cast(Rows, messages.rows)[order], workers=messages.workers[order])
    one, other = by_worker(stage(messages)), by_worker(stage(moved))
    assert one.keys() == other.keys()
    for worker, row in one.items():
        np.testing.assert_allclose(other[worker], row, rtol=1e-12, atol=1e-12)


@every_stage
@every_type
def test_input_of_any_layout_is_read_and_left_alone(stage: Stage, dtype: type) -> None:
    plain: Rows = random_rows(d=6).astype(dtype)[::-1, ::2].copy()
    for rows in layouts(plain):
        before = rows.tobytes()
        np.testing.assert_allclose(stage(rows), stage(plain), rtol=1e-4, atol=1e-6)
        assert rows.tobytes() == before


@every_stage
def test_whole_numbers_and_lists_are_read_as_float64(stage: Stage) -> None:
    rows = (10 * random_rows()).round()
    for given_as in (rows.astype(np.int64), rows.tolist(), rows.astype(np.float16)):
        after = stage(cast(Any, given_as))
        assert after.dtype == np.float64
        np.testing.assert_allclose(after, stage(rows))


@every_stage
@pytest.mark.parametrize("rows", NO_MATRICES.values(), ids=NO_MATRICES)
@pytest.mark.parametrize("bare", [True, False], ids=["bare", "messages"])
def test_what_is_no_matrix_of_numbers_is_refused_in_one_line(stage: Stage, rows: Any, bare: bool) -> None:
    with pytest.raises(InvalidInput) as refusal:
        stage(rows if bare else Messages(rows, np.arange(1, 8), 0))
    assert str(stage) in str(refusal.value)
    assert "; got " in str(refusal.value)
    assert "\n" not in str(refusal.value)


@every_stage
def test_every_row_must_have_a_worker(stage: Stage) -> None:
    with pytest.raises(InvalidInput, match="needs one worker per row; got 10 for 15 rows"):
        stage(Messages(random_rows(), np.arange(1, 11), 0))


@MEMBERS
def test_a_stage_that_needs_a_count_says_so_and_a_run_tells_it(member: type[Stage]) -> None:
    stage = member()
    if member.declared_option not in options(member, int):
        assert tell(stage, BYZANTINE) is stage
        return
    with pytest.raises(InvalidInput) as refusal:
        stage(random_rows())
    name = member.__name__
    assert str(refusal.value) == f"{name} needs {member.declared_option}, the number of rows that may lie; got none"
    assert tell(stage, BYZANTINE) == cast(Any, member)(**{member.declared_option: BYZANTINE})


@pytest.mark.parametrize("member", [member for member in REGISTRY.values() if member is not Watch])
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


@pytest.mark.parametrize(
    ("option", "due", "wrong"),
    [
        ("every", "a whole number >= 1", [0, *(each for each in NO_WHOLE_NUMBERS if each != "2")]),  # texts are read
        ("near", "a number >= 0 and < 1", [1.0, *NO_POSITIVE_NUMBERS[1:]]),  # 0: nobody is a copy
        (
            "ratio",
            "a number > 1",
            [1.0, *(each for each in NO_POSITIVE_NUMBERS if each != np.inf)],
        ),  # inf: nobody goes
    ],
)
def test_limits_of_watching_that_cannot_be_are_refused_in_one_shape(option: str, due: str, wrong: list[Any]) -> None:
    """Those of watchful RSA: they are of its types."""
    assert options(Watch, int) + options(Watch, float) == ["every", "near", "ratio", "apart"]
    for each, member in product(wrong, (Watch, WatchfulRsa)):
        with pytest.raises(InvalidInput, match=f"^{option} must be {due}; got "):
            cast(Any, member)(**{option: each})
    made = Watch(every=cast(int, np.int32(1))).every
    assert (made, type(made)) == (1, int)


@every_stage
@every_rule
@settings(max_examples=10)  # of each of nearly a hundred pairs
@given(st.data())
def test_a_rule_behind_a_stage_stays_within_its_bound(stage: Stage, rule: type[Rule], data: st.DataObject) -> None:
    """All but q of the rows that come out are as near to the honest mean as claimed: the rule's honest rows.

    Twice the rows that the rule needs, since buckets halve them; each number is a sorting network to compile.
    """
    least, spare = rule.needs
    rows, lies = data.draw(attacked_rows(least=2 * least, spare=2 * spare, more=1))
    honest, q = rows[~lies], int(lies.sum())
    after = cast(Stage, tell(type(stage)(), q))(rows)
    with np.errstate(over="ignore", invalid="ignore"):
        off = np.linalg.norm(after.astype(np.float64) - honest.astype(np.float64).mean(axis=0), axis=1)
    near = after[off <= spread(stage, honest, len(rows), q) + rounding(honest)]
    assert len(near) >= len(after) - q
    behind = tell(rule(), q)
    bound = claimed(behind, near, len(after), q)
    if bound < np.inf:
        result = behind(after).astype(np.float64)
        assert np.linalg.norm(result - near.astype(np.float64).mean(axis=0)) <= bound + rounding(near)


@every_stage
@pytest.mark.parametrize("size", [1e10, 1e38, 1.3e154, 1e200, 1e308, np.inf, np.nan])
@every_type
def test_a_lie_of_any_size_raises_no_warning_and_spoils_no_other_row(stage: Stage, size: float, dtype: type) -> None:
    rows = random_rows()
    rows[:BYZANTINE] = [[size] * 4, [-size] * 4, [0.9 * size] * 4]
    with np.errstate(over="ignore"):
        after = stage(rows.astype(dtype))
    assert (np.abs(after).max(axis=1) < 10).sum() >= len(after) - BYZANTINE


@every_stage
@every_type
def test_a_tensor_gives_the_tensor_of_what_the_array_gives(stage: Stage, dtype: type) -> None:
    torch = pytest.importorskip("torch")
    rows: Rows = random_rows().astype(dtype)
    tensor = torch.from_numpy(rows.copy())
    bare, after = cast(Any, stage)(tensor), stage(Messages(tensor, np.arange(1, 16), 0))
    for result in (bare, cast(Any, after.rows)):
        assert isinstance(result, torch.Tensor)
        np.testing.assert_array_equal(result.numpy(), stage(rows))


def test_a_run_tells_stages_and_rule_and_they_work_from_left_to_right() -> None:
    """The sum of 15 messages is estimated as 15 times what the rule makes of the buckets' mixtures."""
    method = Aggregated(Median(), (Bucketing(), NearestNeighbourMixing()))
    program = method.program(Setting(Constant(0.5), Ridge(0.0), declared=1))
    messages = of_workers(random_rows())
    after = program.step(program.init(np.ones(4)), messages)
    mixed = NearestNeighbourMixing(byzantine=1)(Bucketing()(messages))
    np.testing.assert_allclose(after.model, 1 - 0.5 * 15 * Median()(cast(Rows, mixed.rows)))


def mixed_plainly(rows: Rows, workers: Workers, byzantine: int) -> Rows:
    """Row by row: sort all rows by distance, then number; average the first n - byzantine."""
    distances, nearest = plainly(rows), len(rows) - byzantine
    out = []
    for row in range(len(rows)):
        order = sorted(range(len(rows)), key=lambda other: (distances[row, other], workers[other]))
        out.append(rows[order[:nearest]].astype(np.longdouble).mean(axis=0))
    return np.array(out, np.float64)


@every_type
@given(seed=seeds, byzantine=st.integers(0, 5), ties=st.booleans())
def test_mixing_is_that_of_two_loops(dtype: type, seed: int, byzantine: int, ties: bool) -> None:
    rows: Rows = random_rows(seed).astype(dtype)
    messages = of_workers(rows.round() if ties else rows)
    after = NearestNeighbourMixing(byzantine)(messages)
    expected = mixed_plainly(cast(Rows, messages.rows), messages.workers, byzantine)
    np.testing.assert_allclose(cast(Rows, after.rows), expected, rtol=0, atol=10 * float(np.finfo(dtype).eps))
    np.testing.assert_array_equal(after.workers, messages.workers)


def test_mixing_needs_an_honest_majority() -> None:
    with pytest.raises(InvalidInput, match="needs n > 2 \\* byzantine; got n=6, byzantine=3"):
        NearestNeighbourMixing(byzantine=3)(np.ones((6, 2)))
    assert NearestNeighbourMixing(byzantine=3)(np.ones((7, 2))).tolist() == [[1, 1]] * 7


@given(seeds, st.integers(1, 13), st.integers(0, 2**31))
def test_buckets_hold_every_row_once(seed: int, size: int, round: int) -> None:
    """Rows of unit vectors: a bucket's mean shows who is in it, by 1 / their number."""
    after = Bucketing(size)(of_workers(np.eye(15), round, seed))
    rows = cast(Rows, after.rows)
    assert len(rows) == -(-15 // size)
    numbers = of_workers(np.eye(15)).workers
    inside: list[NDArray[Any]] = [np.flatnonzero(row) for row in rows]
    assert [len(bucket) for bucket in inside[:-1]] == [size] * (len(rows) - 1)
    assert sorted(np.concatenate(inside).tolist()) == list(range(15))
    assert after.workers.tolist() == [numbers[bucket].min() for bucket in inside]


def test_buckets_change_with_the_round_and_with_the_seed() -> None:
    drawn = {
        cast(Rows, Bucketing()(of_workers(np.eye(15), round, seed)).rows).tobytes()
        for round in range(5)
        for seed in range(5)
    }
    assert len(drawn) == 25


def test_all_buckets_are_equally_likely() -> None:
    """Of 4 rows in pairs there are 3 ways; of 3000 rounds each takes 1000, give or take 5 sqrt(3000 * 2 / 9) = 129."""
    ways = [0, 0, 0]
    for round in range(3000):
        rows = cast(Rows, Bucketing()(Messages(np.eye(4), np.arange(1, 5), round)).rows)
        partner = np.flatnonzero(rows[rows[:, 0] > 0][0])[1]
        ways[partner - 1] += 1
    assert all(abs(count - 1000) < 129 for count in ways)


def test_absent_workers_do_not_change_the_words_of_the_others() -> None:
    """Buckets of one keep the rows, in the order of the words: those who stay stay in it."""
    numbers = np.arange(1, 16)
    everybody = Bucketing(size=1)(Messages(np.eye(15), numbers, 3, 9)).workers
    some = Bucketing(size=1)(Messages(np.eye(15)[::2], numbers[::2], 3, 9)).workers
    assert some.tolist() == [worker for worker in everybody.tolist() if worker % 2]
    words = Stream(9, "bucketing").words(everybody, 3, 1)[:, 0]
    assert (words[1:] > words[:-1]).all()
