"""The laws of penalties: bounded subgradients, and Proposition 1 where they are norms, whatever a message holds."""

from math import inf

import numpy as np

from holdfast.methods import Penalty
from holdfast.testing.inputs import ANY_SIZE, ANYTHING, MODERATE
from holdfast.testing.laws import EXAMPLES, SECONDS, Laws, NotTried, format_value, require, require_close, require_same
from holdfast.testing.outcomes import Report
from holdfast.theory import dual
from holdfast.typing import Rows, Vector

LAWS = Laws("penalty")


def check_penalty(
    penalty: Penalty, *, raise_on_failure: bool = True, examples: int = 2 * EXAMPLES, seconds: float = SECONDS
) -> Report:
    """Test a penalty, `weight * |x|_p` or one of your own, against the laws of penalties.

    >>> from holdfast.methods import L2
    >>> check_penalty(L2(0.5), examples=10).holds
    True
    """
    return LAWS.check(penalty, raise_on_failure, examples, seconds)


def _norm(row: Vector, p: float) -> float:
    """Return |row|_p, without over- or underflow."""
    top = np.abs(row).max()
    if top == 0 or p == inf or not np.isfinite(top):
        return float(top)
    return float(top * np.sum((np.abs(row) / top) ** p) ** (1 / p))


def _rounding(rows: Rows, p: float) -> float:
    """Return a bound on relative errors: d terms are added and a power p - 1 magnifies what precedes it."""
    return float(8 * np.finfo(rows.dtype).eps * (rows.shape[-1] + (p if p < inf else 1)))


@LAWS.law(rows=ANYTHING)
def keeps_shape_and_type(penalty: Penalty, rows: Rows) -> None:
    """Each row gives a row of its type."""
    found = penalty.subgradient(rows)
    require(found.shape == rows.shape, f"the subgradients have shape {found.shape}, not {rows.shape}")
    require(found.dtype == rows.dtype, f"the subgradients are {found.dtype}, not {rows.dtype}")


@LAWS.law(rows=ANYTHING)
def leaves_its_input(penalty: Penalty, rows: Rows) -> None:
    """The rows are not written to."""
    shown = rows.copy()
    penalty.subgradient(shown)
    require_same(shown, rows, "what was given")


@LAWS.law(rows=ANYTHING)
def bounds_the_dual_norm(penalty: Penalty, rows: Rows) -> None:
    """Whatever a row holds, NaN and infinity included, its subgradient's dual norm is at most the weight."""
    for row in penalty.subgradient(rows).astype(np.longdouble):
        size = _norm(row, dual(penalty.p))
        # asked so that NaN is no
        require(size <= penalty.weight * (1 + _rounding(rows, penalty.p)), f"{format_value(row)} has dual norm {size}")


def _is_norm(penalty: Penalty) -> bool:
    """Return whether a penalty is weight |x|_p: it does not say other values."""
    return type(penalty).values is Penalty.values


@LAWS.law(rows=ANY_SIZE)
def attains_the_norm(penalty: Penalty, rows: Rows) -> None:
    """At every finite x the subgradient z of a norm has z'x = weight |x|_p (Proposition 1)."""
    if not _is_norm(penalty):
        raise NotTried("a law of lp norms")
    for row, z in zip(rows.astype(np.longdouble), penalty.subgradient(rows).astype(np.longdouble), strict=True):
        unit = row / (np.abs(row).max() or 1)  # both sides are linear in the size of x
        expected = penalty.weight * _norm(unit, penalty.p)
        slack = _rounding(rows, penalty.p) * (expected + penalty.weight)
        require_close(float(z @ unit), expected, slack, f"at x = {format_value(unit)} z'x")


@LAWS.law(rows=MODERATE, others=MODERATE)
def is_a_subgradient(penalty: Penalty, rows: Rows, others: Rows) -> None:
    """f(y) >= f(x) + z'(y - x) for all x and y, z the subgradient of the penalty f at x."""
    d = min(rows.shape[1], others.shape[1])
    x, y = rows[0, :d], others[0, :d].astype(np.longdouble)
    z = penalty.subgradient(x).astype(np.longdouble)
    left, right = float(penalty.values(y)), float(penalty.values(x.astype(np.longdouble))) + float(z @ (y - x))
    slack = 4 * _rounding(x, penalty.p) * penalty.weight * float(np.abs(x).sum() + np.abs(y).sum())
    require(left >= right - slack, f"at x = {format_value(x)}, y = {format_value(y)}: {left} < {right}")


@LAWS.law(rows=ANYTHING)
def goes_by_rows(penalty: Penalty, rows: Rows) -> None:
    """A row alone gives what it gives among others, bit for bit (row law)."""
    together = penalty.subgradient(rows)
    for index, row in enumerate(rows):
        require_same(penalty.subgradient(row[np.newaxis])[0], together[index], f"row {index} alone gives what")
        require_same(penalty.subgradient(row), together[index], f"row {index} as a vector gives what")


@LAWS.law(rows=ANYTHING)
def is_odd(penalty: Penalty, rows: Rows) -> None:
    """What pulls a worker to the master pulls the master to the worker: the subgradient at -x is that at x negated."""
    require_same(penalty.subgradient(-rows), -penalty.subgradient(rows), "at -x the subgradient")


@LAWS.law(rows=ANYTHING)
def pulls_by_the_sum(penalty: Penalty, rows: Rows) -> None:
    """The pull at the master is the sum of the subgradients at model - row."""
    model = np.arange(rows.shape[1]).astype(rows.dtype)
    expected = penalty.subgradient(model - rows).astype(np.float64).sum(axis=0)
    slack = penalty.weight * len(rows) * _rounding(rows, penalty.p)
    require_close(penalty.pull(model, rows), expected, slack, "the pull")


@LAWS.law(rows=MODERATE)
def steps_by_the_formula(penalty: Penalty, rows: Rows) -> None:
    """A step of the workers is x_i - rate (gradient + subgradient at x_i - master)."""
    master, rate = np.arange(rows.shape[1]).astype(rows.dtype), 0.5
    moved = penalty.descend(rows, master, rate, lambda models, round: models + round, 3)
    expected = rows - rate * (rows + 3 + penalty.subgradient(rows - master))
    slack = 4 * _rounding(rows, penalty.p) * (float(np.abs(rows).max()) + 3 + penalty.weight)
    require_close(moved, expected, slack, "the step")
