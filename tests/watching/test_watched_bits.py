"""Judging and summing the bits of single workers is judging and summing full models without ties, to the last bit."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from changed import ready
from holdfast.insight.inspection import inspect
from holdfast.methods import L1, Constant, PenalisedWorker, PenaltySum, Program, Ridge, VoteSum
from holdfast.methods.watchful import WeighJudged
from holdfast.onebit import BreakTies, TakeSides, count_sides
from holdfast.runs.experiment import assemble
from holdfast.runs.plan import remake_plan
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.states import arrays_of
from holdfast.typing import Messages, Rows, Sides, Vector
from holdfast.watching import Judge, differences
from holdfast.watching.suspicion import disagreement

WATCHED = Spec(data="digits", partition="by-label", rounds=60, eval_every=10, byzantine=8, attack="negative-sum")
BITS, FULL = "watchful-rsa:messages=bits", "watchful-rsa:norm=1,ties=coin"


def directions(models: Sequence[Vector], rows: Sequence[Rows], seed: int = 0, absent: float = 0.1) -> list[Any]:
    """Play rounds by both masters, some workers absent, and return after each the two directions and opinions."""
    weigh, penalty = WeighJudged(Judge(every=1)), L1(0.07)
    about = PenalisedWorker(penalty, Constant(0.1)), PenaltySum(penalty), Constant(0.1), Ridge(0.0)
    full = Program(*about, sending=(BreakTies(),), reading=(weigh,))
    bits = replace(full, rule=VoteSum(penalty), sending=(TakeSides(),))
    masters, found = ((full, full.init(models[0])), (bits, bits.init(models[0]))), []
    for round, (model, sent) in enumerate(zip(models, rows, strict=True)):
        here = np.random.default_rng(round).random(len(sent)) >= absent
        workers, some = np.arange(1, len(sent) + 1)[here], sent[here]
        if not len(workers):
            continue
        answers = Messages(some, workers, round, seed, model)
        (first, mine), (other, yours) = (
            program.direction(state._replace(model=model), program.send(answers)) for program, state in masters
        )
        masters = (full, mine), (bits, yours)
        found.append((first, other, *mine.reading, *yours.reading))
    return found


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(
    n=st.integers(1, 30),
    d=st.integers(32, 150),
    copies=st.integers(0, 9),
    against=st.integers(0, 9),
    tied=st.sampled_from([0.0, 0.1, 1.0]),
    seed=st.integers(0, 10**6),
)
def test_bits_are_judged_and_summed_as_rows_without_ties(
    dtype: type, n: int, d: int, copies: int, against: int, tied: float, seed: int
) -> None:
    """Whoever sends copies, stands against the rest, ties with the master, or sends NaN: same opinion, same sum."""
    generator = np.random.default_rng(seed)
    models, rows = list[Vector](), list[Rows]()
    for _ in range(5):
        model: Vector = generator.normal(size=d).astype(dtype)
        sent = model + np.where(generator.random((n, d)) < 0.2, -1, 1) * generator.uniform(0.1, 1, (n, d))
        sent[:copies] = sent[:1]
        sent[n - min(against, n) :] = 2 * model - sent[n - min(against, n) :]
        sent[generator.random((n, d)) < 0.01] = np.nan
        models.append(model)
        rows.append(np.where(generator.random((n, d)) < tied, model, sent).astype(dtype))
    for first, other, mine, yours in directions(models, rows, seed=seed):
        assert first.tobytes() == other.tobytes()
        assert first.dtype == other.dtype == dtype
        for name, array in arrays_of(mine).items():
            assert array.tobytes() == arrays_of(yours)[name].tobytes(), name


def test_parts_of_a_voice_are_weighed() -> None:
    """The law above does reach weights other than 0 and 1: of 12 workers 5 send the same, and 2 the opposite."""
    generator = np.random.default_rng(3)
    model = np.zeros(200)
    sent = np.where(generator.random((12, 200)) < 0.2, -1.0, 1.0)
    sent[:5], sent[10:] = sent[0], -sent[10:]
    *_, (first, other, opinion, _) = directions(5 * [model], 5 * [sent], absent=0.0)
    assert set(opinion.weights[:5]) == {0.4}
    assert opinion.weights[5:].tolist() == 5 * [1.0] + 2 * [0.0]
    assert first.tobytes() == other.tobytes()


@pytest.mark.parametrize("n", [3, 300])
def test_where_all_weigh_one_the_sum_is_that_of_a_tally(n: int) -> None:
    model, workers = np.zeros(70, np.float32), np.arange(1, n + 1)
    rows = np.random.default_rng(0).choice([-1.0, 0.0, 1.0], (n, 70)).astype(np.float32)
    (_, found, opinion, _), *_ = directions([model], [rows], absent=0.0)
    assert (opinion.weights == 1).all()
    tally = count_sides(cast(Sides, TakeSides().encode(Messages(rows, workers, 0, model=model)).rows))
    assert found.tobytes() == (0.07 * tally.signs(np.float32)).tobytes()


def test_differences_of_bits_by_hand() -> None:
    """Of 3 coordinates, one a byte: the first two differ on one, the last from both on all that it can."""
    bits = np.zeros((3, 8), np.uint8)
    bits[0, :2], bits[1, 0], bits[2, 2] = 1, 1, 1
    assert differences(Sides(bits, 3), np.zeros(3)).tolist() == [[0, 1 / 3, 1], [1 / 3, 0, 2 / 3], [1, 2 / 3, 0]]


def test_bits_have_twins_even_if_none_is_set() -> None:
    bits = np.zeros((4, 8), np.uint8)
    bits[3, 0] = 1
    found = disagreement(Sides(bits, 40), np.zeros(40))
    assert found.twins == [2, 2, 2, 0]
    assert disagreement(Sides(bits[:1], 40), np.zeros(40)).twins == [0]


@pytest.mark.parametrize("attack", ["none", "duplicate", "negative-sum", "contrarian", "rotating"])
def test_a_run_with_bits_is_the_run_without_ties(attack: str) -> None:
    """Its model, and who was left out, disagreed or sent the same as others; only its messages are smaller."""
    spec = replace(WATCHED, attack=attack) if attack != "none" else replace(WATCHED, attack=None, byzantine=0)
    bits, full = run(replace(spec, method=BITS)), run(replace(spec, method=FULL))
    assert bits.model.tobytes() == full.model.tobytes()
    assert [replace(each, twins=None) for each in bits.history] == [replace(each, twins=None) for each in full.history]
    numbers = zip(bits.history, full.history, strict=True)  # who sends the same numbers sends the same bits
    assert all((np.array(mine.twins) >= np.array(yours.twins)).all() for mine, yours in numbers)
    assert (bits.bytes_up, bits.bytes_down) == (44 + 88, 44 + 4 * 650)
    assert (full.bytes_up, full.bytes_down) == (44 + 4 * 650, 44 + 4 * 650)


def test_what_the_master_reads_are_bits_of_those_who_were_asked() -> None:
    experiment = assemble(remake_plan(ready(replace(WATCHED, method=BITS, participation=0.55))))
    sides = experiment.engine.exchange(experiment.program.init(experiment.problem.start()), 0).rows
    assert isinstance(sides, Sides)
    assert sides.bits.shape == (11, 88)
    assert sides.dimension == 650


def test_inspect_tells_who_sends_bits(tmp_path: Path) -> None:
    """A tally names nobody; bits of single workers do, so that disagreement, copies and who was left out are told."""
    run(replace(WATCHED, attack="same-value", method=BITS), tmp_path / "run")
    found = inspect(tmp_path / "run")
    assert found.missing_judgement is None
    assert [each.worker for each in found.workers if each.watched and each.watched.left_out] == list(range(13, 21))
    assert [each.worker for each in found.workers if each.suspicion and each.suspicion.copied] == list(range(13, 21))
    assert all(each.suspicion is not None for each in found.workers)


def test_tosses_of_the_first_round_are_not_compared() -> None:
    """In round 0 all stand at x0: by the coin even copies would differ on half of all coordinates."""
    result = run(replace(WATCHED, attack="duplicate", method=BITS, rounds=20, eval_every=20))
    watched = result.history[-1].watched
    assert watched is not None
    copies = [each.weight for each in watched if each.weight < 1]
    assert copies == pytest.approx([2 / 9] * 9)  # eight copies of one honest worker count for two together with it


@pytest.mark.parametrize("method", [BITS, FULL])
def test_by_bits_sign_flips_are_left_out_from_early_on(method: str) -> None:
    result = run(replace(WATCHED, attack="sign-flip", method=method, rounds=200, eval_every=200))
    assert result.honest_left_out == 0
    assert result.accuracy is not None
    assert result.accuracy > 0.5  # of .588; by tosses that fade it would be .09
