"""The laws of rules: rows in, one vector out."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
from hypothesis import strategies as st

from holdfast.aggregators import CoordinateWise, Equivariant, Remembering, Weighted
from holdfast.methods import tell
from holdfast.states import arrays_of
from holdfast.testing import inputs
from holdfast.testing.inputs import Attacked
from holdfast.testing.laws import EXAMPLES, SECONDS, Laws, NotTried, format_value, require, require_close, require_same
from holdfast.testing.outcomes import Report
from holdfast.typing import Messages, Rows, Vector

LAWS = Laws("rule")
DECLARED = 2
"""The declared number for a rule that has an option for it."""
SHIFTS = inputs.for_every_part(st.integers(-100, 100))
FACTORS = inputs.for_every_part(st.sampled_from([1.0, -1.0, -2.5, 0.3, 1e6, 1e-6]))
COLUMNS = inputs.for_every_part(st.lists(st.integers(0, 3), min_size=1, max_size=6))
FAR = 1e6
"""A result up to as many times the size of the honest rows is bounded; lies are up to 1e308."""


def check_rule(
    rule: Callable[[Rows], Vector],
    *,
    declared: int = DECLARED,
    robust: bool = False,
    raise_on_failure: bool = True,
    examples: int = EXAMPLES,
    seconds: float = SECONDS,
) -> Report:
    """Test a rule against the laws of rules. A rule is anything that makes one vector of `(n, d)` rows.

    A rule with an option for it is told that `declared` rows may lie, and must then stay bounded. Other rules must stay
    bounded only with `robust`; the report says whether they do.

    >>> from holdfast.aggregators import Mean
    >>> report = check_rule(Mean(), examples=10)
    >>> report.holds, report["stays-bounded"].holds
    (True, False)
    """
    return LAWS.check(tell(rule, declared), raise_on_failure, examples, seconds, also_required=robust)


@LAWS.law(rows=inputs.finite_rows)
def gives_one_vector(rule: Callable[[Rows], Vector], rows: Rows) -> None:
    """Finite float32 or float64 rows give one finite vector of their width and type."""
    result = rule(rows)
    require(isinstance(result, np.ndarray), f"the result is a {type(result).__name__}, not an array")
    require(result.shape == rows.shape[1:], f"the result has shape {result.shape}, not {rows.shape[1:]}")
    require(result.dtype == rows.dtype, f"the result is {result.dtype}, not {rows.dtype}")
    require(bool(np.isfinite(result).all()), f"the result is {format_value(result)}")


@LAWS.law(rows=inputs.finite_rows)
def leaves_its_input(rule: Callable[[Rows], Vector], rows: Rows) -> None:
    """The rows are not written to."""
    shown = rows.copy()
    rule(shown)
    require_same(shown, rows, "what was given")


@LAWS.law(rows=inputs.finite_rows, other=inputs.finite_rows)
def repeats_itself(rule: Callable[[Rows], Vector], rows: Rows, other: Rows) -> None:
    """The same rows give the same vector, whatever was asked in between."""
    first = np.array(rule(rows))
    rule(other)
    require_same(rule(rows), first, "the second answer")


@LAWS.law(rows=inputs.generic_rows, order=inputs.ORDERS)
def ignores_the_order(rule: Callable[[Rows], Vector], rows: Rows, order: int) -> None:
    """The order of the rows changes nothing beyond rounding."""
    moved = rows[inputs.permutation(len(rows), order)]
    require_close(rule(moved), rule(rows), 1e-6 * np.abs(rows).max(), f"of {format_value(moved)} the result")


def _is_declared(rule: object) -> bool:
    return bool(inputs.count_of(rule)) and getattr(rule, "bounded", True)


@LAWS.law(case=inputs.attacked_rows, required=_is_declared)
def stays_bounded(rule: Callable[[Rows], Vector], case: Attacked) -> None:
    """As many rows as it is told may lie (one in five if it is not told) hold anything, and the result is bounded."""
    result = rule(case.rows)
    honest = np.delete(case.rows, case.lies, axis=0)
    bound = FAR * (1 + np.abs(honest).max())
    require(bool((np.abs(result) <= bound).all()), f"the result is {format_value(result)}")


@LAWS.law(Equivariant, rows=inputs.one_row)
def agrees_with_all(rule: Callable[[Rows], Vector], rows: Rows) -> None:
    """Equal rows give that row."""
    require_close(rule(rows), rows[0], 1e-6 * float(np.abs(rows).max()), "the result")


@LAWS.law(Equivariant, rows=inputs.generic_rows, factor=FACTORS, shift=SHIFTS)
def moves_and_scales(rule: Callable[[Rows], Vector], rows: Rows, factor: float, shift: int) -> None:
    """Rows that are moved and scaled give the result moved and scaled: A(s V + c) = s A(V) + c."""
    shifts = shift * np.arange(1, rows.shape[1] + 1)
    tolerance = 1e-6 * abs(factor) + 1e-9 * float(np.abs(shifts).max())
    require_close(rule(factor * rows + shifts), factor * rule(rows) + shifts, tolerance, "the result")


@LAWS.law(Equivariant, rows=inputs.finite_rows)
def lies_between_the_rows(rule: Callable[[Rows], Vector], rows: Rows) -> None:
    """Every coordinate of the result is between the least and the largest value of the rows."""
    result, slack = rule(rows), 8 * len(rows) * float(np.finfo(rows.dtype).eps) * float(np.abs(rows).max())
    inside = (result >= rows.min(axis=0) - slack) & (result <= rows.max(axis=0) + slack)
    require(bool(inside.all()), f"the result is {format_value(result)}")


@LAWS.law(CoordinateWise, rows=inputs.finite_rows, columns=COLUMNS)
def looks_at_one_coordinate_at_a_time(rule: Callable[[Rows], Vector], rows: Rows, columns: list[int]) -> None:
    """Some columns give those coordinates of the result: A(V[:, J]) = A(V)[J]."""
    chosen = [column % rows.shape[1] for column in columns]
    slack = 8 * float(np.finfo(rows.dtype).eps) * float(np.abs(rows).max())
    require_close(rule(rows[:, chosen]), rule(rows)[chosen], slack, "the result")


def orthogonal_matrix(part: object, rows: Rows, turn: int) -> Rows:
    """Return an orthogonal matrix as wide as the rows, if the part claims to turn with them."""
    if not getattr(part, "rotation_equivariant", False):
        raise NotTried("a law of what sees lengths and angles only")
    return np.linalg.qr(np.random.default_rng(turn).normal(size=(rows.shape[1],) * 2))[0]


@LAWS.law(rows=inputs.generic_rows, turn=inputs.ORDERS)
def turns_with_the_rows(rule: Callable[[Rows], Vector], rows: Rows, turn: int) -> None:
    """Rows that are turned or mirrored give the result turned or mirrored: A(V Q) = A(V) Q for orthogonal Q."""
    Q = orthogonal_matrix(rule, rows, turn)
    require_close(rule(rows @ Q), rule(rows) @ Q, 1e-6 * float(np.abs(rows).max()), "the result")


@LAWS.law(Weighted, rows=inputs.finite_rows)
def weights_are_shares(rule: Weighted, rows: Rows) -> None:
    """Weights are not negative and add up to 1, one for each row."""
    weights = np.asarray(rule.weights(rows))
    require(weights.shape == (len(rows),), f"the weights have shape {weights.shape}, not {(len(rows),)}")
    shares = bool((weights >= 0).all()) and abs(float(weights.sum()) - 1) <= 1e-6
    require(shares, f"the weights are {format_value(weights)}")


def _types(state: object) -> dict[str, str]:
    return {name: str(np.asarray(array).dtype) for name, array in arrays_of(state).items()}


@LAWS.law(Remembering, rows=inputs.generic_rows, rounds=inputs.for_every_part(st.integers(2, 4)))
def memory_goes_in_and_comes_out(rule: Remembering[Any], rows: Rows, rounds: int) -> None:
    """What it remembers is in its state alone, a NamedTuple of arrays of one type that it does not write to."""
    workers = np.arange(1, len(rows) + 1)
    first = rule.init(rows[0])
    require(hasattr(first, "_fields"), f"the state is a {type(first).__name__}, not a NamedTuple")
    untouched, results = deepcopy(first), []
    for attempt in range(2):
        state = first
        for round in range(rounds):
            result, after = rule.step(state, Messages((round + 1) * rows, workers, round))
            require(_types(after) == _types(state), f"the state became {_types(after)}, not {_types(state)}")
            state = after
            results.append(np.array(result))
            require_same(result, results[round], f"in attempt {attempt + 1} the result of round {round}")
    for name, array in arrays_of(first).items():
        require_same(array, arrays_of(untouched)[name], f"the first state's {name}")
    require_same(rule(rows), results[0], "on bare rows the result")
