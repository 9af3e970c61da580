"""What holds of the workers' disagreement whatever they send."""

from typing import Any

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from holdfast.watching import differences
from holdfast.watching.suspicion import disagreement, suspicion

Table = NDArray[np.floating[Any]]
ANYTHING = st.sampled_from([-np.inf, -1e38, -2.0, -1.0, -0.0, 0.0, 1.0, 2.0, 1e38, np.inf, np.nan])


@st.composite
def messages(draw: st.DrawFn, least: int = 2) -> Table:
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    shape = (draw(st.integers(least, 9)), draw(st.integers(1, 40)))
    return draw(arrays(dtype, shape, elements=ANYTHING))


def neutral_of(rows: Table) -> Table:
    return (np.arange(rows.shape[1]) % 3 - 1).astype(rows.dtype)


def side(x: float, neutral: float) -> int:
    return int(x > neutral) - int(x < neutral)


@given(messages())
def test_differences_are_those_of_the_definition(rows: Table) -> None:
    neutral = neutral_of(rows)
    sides = [[side(x, n) for x, n in zip(row, neutral, strict=True)] for row in rows]
    for i, mine in enumerate(sides):
        for k, yours in enumerate(sides):
            total = sum(abs(a - b) for a, b in zip(mine, yours, strict=True))
            assert differences(rows, neutral)[i, k] == total / (2 * len(neutral))


@given(messages(), st.randoms())
def test_permuting_workers_permutes_and_permuting_coordinates_changes_nothing(rows: Table, random: Any) -> None:
    neutral, found = neutral_of(rows), disagreement(rows, neutral_of(rows))
    order = random.sample(range(len(rows)), len(rows))
    moved = disagreement(rows[order], neutral)
    assert moved.shares == [found.shares[i] for i in order]
    assert moved.twins == [found.twins[i] for i in order]
    columns = random.sample(range(len(neutral)), len(neutral))
    assert disagreement(rows[:, columns], neutral[columns]) == found


def unlike(rows: Table) -> bool:
    """Return whether no two messages are equal, so that each is a voice of its own."""
    return len({row.tobytes() for row in rows + 0.0}) == len(rows)


@given(messages())
def test_only_sides_matter_to_disagreement_where_nobody_copies(rows: Table) -> None:
    neutral = neutral_of(rows)
    assume(unlike(np.subtract(rows > neutral, rows < neutral, dtype=np.float64)))
    sides = np.subtract(rows > neutral, rows < neutral, dtype=np.float64)
    shares = disagreement(rows, neutral).shares
    assert disagreement(sides, np.zeros(len(neutral))).shares == shares
    assert disagreement(-sides, np.zeros(len(neutral))).shares == shares


@given(messages(), st.data())
def test_a_minority_cannot_move_others_beyond_what_honest_ones_differ(rows: Table, data: Any) -> None:
    n, neutral = len(rows), neutral_of(rows)
    q = data.draw(st.integers(0, (n - 2) // 2))  # 2 q < n - 1: most others are honest
    assume(unlike(rows[q:]))
    differing, found = differences(rows, neutral), disagreement(rows, neutral)
    for i in range(q, n):  # the first q lie; whatever they sent, it is in `rows` already
        honest = [differing[i, k] for k in range(q, n) if k != i]
        assert min(honest) <= found.shares[i] <= max(honest)


@given(messages(least=4), st.data())
def test_one_row_moves_anothers_share_no_further_than_to_its_neighbours_in_rank(rows: Table, data: Any) -> None:
    neutral = neutral_of(rows)
    before = differences(rows, neutral)
    changed = rows.copy()
    changed[0] = data.draw(arrays(rows.dtype, rows.shape[1], elements=ANYTHING))
    assume(unlike(rows) and unlike(changed))
    after = disagreement(changed, neutral).shares
    for i in range(1, len(rows)):
        ranked = sorted(np.delete(before[i], i))
        middle = len(ranked) // 2
        low, high = ranked[(len(ranked) - 1) // 2 - 1], ranked[min(middle + 1, len(ranked) - 1)]
        assert low <= after[i] <= high


@given(st.lists(st.lists(st.floats(0, 1), min_size=5, max_size=5), min_size=1, max_size=4))
def test_suspicion_is_finite_and_the_middle_worker_has_none(history: list[list[float]]) -> None:
    scores = suspicion(history)
    assert np.isfinite(scores).all()
    assert sorted(scores)[2] == 0
    in_order = scores[np.argsort(np.mean(history, axis=0))]
    assert (np.diff(in_order) >= 0).all()
