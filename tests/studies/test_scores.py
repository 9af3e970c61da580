"""Who stands where, from records whose accuracies are made up: all numbers by hand."""

import math
from dataclasses import replace

import pytest

from holdfast.attacks import Duplicate, SignFlip
from holdfast.data import ByLabel, Iid
from holdfast.errors import InvalidInput
from holdfast.methods import make_method
from holdfast.report.arena_page import leaderboard
from holdfast.runs.metrics import Evaluation
from holdfast.runs.plan import fill_defaults
from holdfast.runs.records import Record
from holdfast.runs.spec import Spec
from holdfast.studies.arena_plan import Arena, Bout
from holdfast.studies.arena_results import breaking, headline, list_guessers
from holdfast.studies.intervals import Interval
from holdfast.studies.leaderboard import BoutResult, Leaderboard

RSA, KRUM = map(make_method, ("rsa", "krum"))
ARENA = Arena(Spec(), ("digits",), (None,), (RSA, KRUM), (SignFlip(), Duplicate()), (Iid(),), ((4, 4), (8, 4)))
QUIET, FOUR, EIGHT = ARENA.conditions()


def record(*accuracies: float, ceiling: float | None = None, diverged: int | None = None) -> Record:
    history = tuple(Evaluation(round, value, 0.0, 0.0, 0.0) for round, value in enumerate(accuracies))
    return Record(Spec(rate=0.1), history, len(history), diverged, ceiling, 1.0, 0.0)


def cell(bout: Bout, *finals: float, ceiling: float | None = None) -> BoutResult:
    return BoutResult(bout, tuple(record(0.0, each, ceiling=ceiling) for each in finals))


def board(*finals: float) -> Leaderboard:
    """Return the board of the bouts' final accuracies, in order."""
    return Leaderboard.of(cell(bout, each) for bout, each in zip(ARENA.bouts(), finals, strict=True))


def test_every_method_meets_every_attack_and_nobody_lying_once() -> None:
    assert [condition.text for condition in ARENA.conditions()] == [
        "iid, no attack",
        "iid, q = 4",
        "iid, q = 8, told 4",
    ]
    # nobody lying: 2 methods; 2 counts x 2 methods x 2 attacks
    assert len(ARENA.bouts()) == 2 + 2 * 2 * 2


@pytest.mark.parametrize(("given", "rsas"), [(None, 0.0), (0.9, 0.9)])
def test_rules_have_momentum_and_rsa_only_if_it_is_given(given: float | None, rsas: float) -> None:
    arena = replace(ARENA, base=Spec(momentum=given))
    momenta = {bout.method: fill_defaults(arena.specs(bout)[0]).momentum for bout in arena.bouts()}
    assert momenta == {RSA: rsas, KRUM: 0.9}


def test_the_interval_is_students() -> None:
    # mean 0.5, deviation 0.1, five seeds: 2.776445 * 0.1 / sqrt(5)
    found = Interval.of([0.4, 0.4, 0.5, 0.6, 0.6])
    assert found.mean == pytest.approx(0.5)
    assert found.high - found.mean == pytest.approx(found.mean - found.low)
    assert found.high == pytest.approx(0.5 + 2.776445 * 0.1 / math.sqrt(5))
    assert str(Interval.of([0.25])) == "0.250"


def test_an_interval_never_leaves_what_can_be() -> None:
    """Two seeds by Student's t were 0.812 +- 1.009; five near 1 would end above it."""
    assert str(Interval.of([0.733, 0.891])) == "0.812 [0.733, 0.891]"
    near = Interval.of([1.0, 1.0, 1.0, 1.0, 0.8], least=0.0, most=1.0)
    assert near.high == 1.0
    assert 0.8 < near.low < near.mean


def test_methods_within_noise_share_ranks() -> None:
    """Seed by seed rsa and krum differ by 0.002, 0.012 and -0.008; both differ from a third by 0.1, nearly always."""
    third = make_method("median")
    arena = replace(ARENA, methods=(RSA, KRUM, third), seeds=(0, 1, 2))
    finals = {RSA: (0.964, 0.970, 0.958), KRUM: (0.962, 0.958, 0.966), third: (0.86, 0.87, 0.86)}
    found = Leaderboard.of(cell(bout, *finals[bout.method]) for bout in arena.bouts())
    assert [found.ranks(method) for method in found.ranked] == [(1, 2), (1, 2), (3, 3)]
    noisy = Leaderboard.of(cell(bout, *(finals | {KRUM: (0.6, 0.98, 0.9)})[bout.method]) for bout in arena.bouts())
    assert headline(noisy).startswith(
        "In the worst case over all attacks rsa keeps 96% of the way from guessing to the ceiling, "
        "and 3 seeds do not tell krum (83%) apart"
    )
    table = leaderboard(found)
    assert table.head[:3] == ["method", "rank", "kept"]
    assert [row[1] for row in table.rows] == ["1-2", "1-2", "3"]
    assert {(0, 2), (1, 2), (0, 4), (1, 4)} <= {*table.best}
    assert not any(row == 2 for row, _ in table.best)


def test_what_guesses_keeps_nothing_and_is_red() -> None:
    """Of the way from 0.1 to 0.6, 0.35 is half; 0.1 and 0.05 are none of it."""

    def ended(bout: Bout, value: float) -> BoutResult:
        return BoutResult(bout, (replace(record(value, ceiling=0.6), guessing=0.1),))

    values = {RSA: 0.35, KRUM: 0.05}
    found = Leaderboard.of(ended(bout, values[bout.method]) for bout in ARENA.bouts())
    assert found.overall(RSA) == pytest.approx(0.5)
    assert found.overall(KRUM) == 0
    table = leaderboard(found)
    assert table.rows[-2] == ("ceiling", "100%", "0.600", "0.600", "0.600")
    assert table.rows[-1] == ("guessing", "0%", "0.100", "0.100", "0.100")
    assert {*table.bad} == {(1, 1), (1, 2), (1, 3), (1, 4)}
    said = list_guessers(found)
    assert said[1] == "No better than guessing (0.100) in the worst case, iid, q = 4: krum (1 of 2 methods)."
    nothing = Leaderboard.of(ended(bout, 0.1) for bout in ARENA.bouts())
    assert headline(nothing) == "In the worst case over all attacks no method is better than guessing."


def test_the_end_decides_and_the_best_moment_stands_beside() -> None:
    peaked = BoutResult(ARENA.bouts()[0], (record(0.2, 0.9, 0.3), record(0.2, 0.7, 0.5)))
    assert peaked.final.mean == pytest.approx(0.4)
    assert peaked.best == pytest.approx(0.8)
    assert peaked.drop == pytest.approx(0.4)


def test_a_run_that_diverged_ends_at_zero() -> None:
    gone = BoutResult(ARENA.bouts()[0], (record(0.2, 0.9, diverged=1),))
    assert (gone.final.mean, gone.best) == (0.0, 0.9)


def test_a_score_is_the_worst_case_over_the_attacks() -> None:
    found = board(0.9, 0.9, *(0.8, 0.6), *(0.7, 0.1), *(0.5, 0.4), *(0.3, 0.2))
    assert [found.standing(RSA, each).score for each in (QUIET, FOUR, EIGHT)] == [0.9, 0.6, 0.4]
    assert found.overall(RSA) == pytest.approx(0.5)  # nobody lying does not count
    assert found.overall(KRUM) == pytest.approx(0.15)
    assert found.ranked == [RSA, KRUM]
    best = found.best(EIGHT)
    assert best is not None
    assert best.method == RSA


def test_the_overall_score_is_a_share_of_what_can_be_reached() -> None:
    cells = [cell(bout, 0.3, ceiling=0.6) for bout in ARENA.bouts()]
    assert Leaderboard.of(cells).overall(RSA) == pytest.approx(0.5)


def test_a_bout_that_could_not_be_played_leaves_no_worst_case() -> None:
    cells = [
        BoutResult(bout, failure="too few rows") if bout == Bout(EIGHT, KRUM, SignFlip()) else cell(bout, 0.9)
        for bout in ARENA.bouts()
    ]
    found = Leaderboard.of(cells)
    assert found.standing(KRUM, EIGHT).score is None
    assert found.standing(KRUM, FOUR).score == 0.9
    assert found.overall(KRUM) is None
    assert found.ranked == [RSA, KRUM]


def test_sentences_name_who_holds_and_what_breaks_the_others() -> None:
    found = board(0.9, 0.9, *(0.8, 0.6), *(0.7, 0.1), *(0.7, 0.6), *(0.3, 0.2))
    assert headline(found) == (
        "In the worst case over all attacks rsa keeps 60% of the way from guessing to the ceiling; "
        "the next best keeps 15%."
    )
    assert breaking(found) == (
        "rsa keeps at least 50% of the way from guessing to the ceiling in every condition; "
        "the attack that breaks most methods is duplicate (1 of 2)."
    )


def test_no_winner_is_named_where_none_is() -> None:
    cells = [BoutResult(bout, failure="no") for bout in ARENA.bouts()]
    assert headline(Leaderboard.of(cells)) == "No method could be played in every condition."
    assert breaking(board(*[0.1] * 10)).startswith("No method keeps at least 50%")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"methods": ()}, "an arena needs at least one of methods, all different; got []"),
        ({"partitions": (ByLabel(), ByLabel())}, "an arena needs at least one of partitions, all different"),
        ({"counts": ((20, 4),)}, "byzantine must be at most workers - 1 = 19; got 20"),
        ({"methods": (make_method("ideal-sgd"),)}, "an arena is for methods that can be attacked; got IdealSgd"),
    ],
)
def test_what_cannot_be_an_arena_is_refused(changed: dict[str, object], message: str) -> None:
    given = {
        "data": ("digits",),
        "models": (None,),
        "methods": (RSA,),
        "attacks": (SignFlip(),),
        "partitions": (Iid(),),
        "counts": ((4, 4),),
    }
    with pytest.raises(InvalidInput) as refused:
        Arena(Spec(), **given | changed)  # type: ignore[arg-type]
    assert message in str(refused.value)
