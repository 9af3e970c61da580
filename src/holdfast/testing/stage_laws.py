"""The laws of stages: rows in, rows out, each with a worker's number."""

import numpy as np

from holdfast.methods import tell
from holdfast.stages import Stage
from holdfast.testing import inputs
from holdfast.testing.inputs import Attacked
from holdfast.testing.laws import EXAMPLES, SECONDS, Laws, require, require_close, require_same
from holdfast.testing.outcomes import Report
from holdfast.testing.rule_laws import DECLARED, FAR, orthogonal_matrix
from holdfast.typing import Messages, Rows, Workers

LAWS = Laws("stage")


def check_stage(
    stage: Stage,
    *,
    declared: int = DECLARED,
    robust: bool = False,
    raise_on_failure: bool = True,
    examples: int = EXAMPLES,
    seconds: float = SECONDS,
) -> Report:
    """Test a stage against the laws of stages; `declared` rows may lie if it has an option for their number.

    >>> from holdfast.stages import Bucketing
    >>> check_stage(Bucketing(), examples=10).holds
    True
    """
    return LAWS.check(tell(stage, declared), raise_on_failure, examples, seconds, also_required=robust)


def _messages(rows: Rows, round: int) -> Messages:
    """Return the rows as messages of workers whose numbers are neither in order nor next to each other."""
    numbers = np.random.default_rng(round).permutation(np.arange(3, 3 * len(rows) + 3, 3))
    return Messages(rows, numbers, round, seed=1)


def _by_worker(rows: Rows, workers: Workers) -> Rows:
    """Return the rows in the order of the workers' numbers."""
    return rows[np.argsort(workers)]


@LAWS.law(rows=inputs.finite_rows, round=inputs.ROUNDS)
def gives_rows_of_workers(stage: Stage, rows: Rows, round: int) -> None:
    """Finite rows stay finite and keep width and type; each has a number of its own, of the workers that sent."""
    messages = _messages(rows, round)
    after = stage(messages)
    require(isinstance(after, Messages), f"the result is a {type(after).__name__}, not Messages")
    result, workers = after.numbers, after.workers.tolist()
    shape = (len(workers), rows.shape[1])
    require(result.shape == shape, f"the rows have shape {result.shape}, not {shape}")
    require(result.dtype == rows.dtype, f"the rows are {result.dtype}, not {rows.dtype}")
    require(bool(np.isfinite(result).all()), "the rows are not finite")
    known = len(set(workers)) == len(workers) and set(workers) <= set(messages.workers.tolist())
    require(known, f"the workers are {workers} of {messages.workers.tolist()}")
    require(after[2:4] == messages[2:4], f"round and seed are {after[2:4]}, not {messages[2:4]}")


@LAWS.law(rows=inputs.finite_rows, round=inputs.ROUNDS)
def leaves_its_input(stage: Stage, rows: Rows, round: int) -> None:
    """Neither the rows nor the workers' numbers are written to."""
    given, untouched = _messages(rows.copy(), round), _messages(rows, round)
    stage(given)
    require_same(given.numbers, rows, "what was given")
    require_same(given.workers, untouched.workers, "the workers' numbers")


@LAWS.law(rows=inputs.finite_rows, other=inputs.finite_rows, round=inputs.ROUNDS)
def repeats_itself(stage: Stage, rows: Rows, other: Rows, round: int) -> None:
    """The same messages give the same rows, whatever was asked in between."""
    first = stage(_messages(rows, round))
    kept = first.numbers.copy()
    stage(_messages(other, round + 1))
    again = stage(_messages(rows, round))
    require_same(again.numbers, kept, "the second answer")
    require_same(again.workers, first.workers, "at the second time the order of workers")


@LAWS.law(rows=inputs.generic_rows, round=inputs.ROUNDS, order=inputs.ORDERS)
def ignores_the_order(stage: Stage, rows: Rows, round: int, order: int) -> None:
    """In whatever order the messages arrive, the same workers get the same rows, up to rounding."""
    messages, moved = _messages(rows, round), inputs.permutation(len(rows), order)
    one = stage(messages)
    other = stage(messages._replace(rows=rows[moved], workers=messages.workers[moved]))
    require_same(np.sort(other.workers), np.sort(one.workers), "who is left")
    expected = _by_worker(one.numbers, one.workers)
    require_close(_by_worker(other.numbers, other.workers), expected, 1e-6 * float(np.abs(rows).max()), "the result")


@LAWS.law(Stage, rows=inputs.finite_rows)
def reads_bare_rows(stage: Stage, rows: Rows) -> None:
    """Bare rows are those of workers 1 to n in round 0."""
    expected = stage(Messages(rows, np.arange(1, len(rows) + 1), 0)).numbers
    require_same(stage(rows), expected, "the result")


@LAWS.law(rows=inputs.one_row, required=lambda stage: not stage.shortens)
def agrees_with_all(stage: Stage, rows: Rows) -> None:
    """Equal rows stay what they are."""
    result = stage(_messages(rows, 0)).numbers
    require_close(result, np.tile(rows[0], (len(result), 1)), 1e-6 * float(np.abs(rows).max()), "the result")


@LAWS.law(rows=inputs.generic_rows, turn=inputs.ORDERS)
def turns_with_the_rows(stage: Stage, rows: Rows, turn: int) -> None:
    """Rows that are turned or mirrored before or after it are the same: S(V Q) = S(V) Q for orthogonal Q."""
    Q = orthogonal_matrix(stage, rows, turn)
    after = stage(_messages(rows @ Q, 0)).numbers
    require_close(after, stage(_messages(rows, 0)).numbers @ Q, 1e-6 * float(np.abs(rows).max()), "the result")


@LAWS.law(case=inputs.attacked_rows, required=lambda stage: bool(inputs.count_of(stage)))
def spoils_no_more_rows_than_lie(stage: Stage, case: Attacked) -> None:
    """As many rows as it is told may lie (one in five if it is not told) hold anything, and no more come out wild."""
    result = stage(_messages(case.rows, 0)).numbers
    honest = np.delete(case.rows, case.lies, axis=0)
    bounded = (np.abs(result) <= FAR * (1 + np.abs(honest).max())).all(axis=1)
    spoilt = len(result) - int(bounded.sum())
    require(spoilt <= len(case.lies), f"{spoilt} rows are spoilt")
