"""Who is heard, and with what weight: messages made by hand, and runs with real attacks."""

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from holdfast.errors import InvalidInput
from holdfast.methods import Aggregated, WatchfulRsa, make_method
from holdfast.runs.experiment import assemble
from holdfast.runs.plan import remake_plan
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.stages import Watch
from holdfast.typing import Messages, Rows
from holdfast.watching import Judge, Opinion, differences, opinion_in
from holdfast.watching.judge import JUDGEMENTS
from holdfast.watching.opinion import COMPARED
from holdfast.watching.sides import LEAST_COORDINATES, Angles

D = 1000
NEUTRAL = np.zeros(D)
ATTACKS = ["same-value", "sign-flip", "gaussian", "duplicate", "contrarian", "negative-sum"]


def crowd(n: int, difference: float = 0.2, seed: int = 0) -> Rows:
    """Rows that share a direction, each with a share `difference` of its sides turned at random."""
    generator = np.random.default_rng(seed)
    common = generator.choice([-1.0, 1.0], D)
    return np.where(generator.random((n, D)) < difference, -common, common) * generator.uniform(0.5, 2.0, (n, D))


def judged(rows: Rows, rounds: int = JUDGEMENTS, judge: Judge | None = None) -> Opinion:
    judge, opinion = judge or Judge(every=1), Opinion.none()
    for round in range(rounds):
        opinion = judge(opinion, rows, np.zeros(rows.shape[1]), np.arange(1, len(rows) + 1), round)
    return opinion


def test_shares_are_those_of_sides_that_differ() -> None:
    rows = np.ones((3, 40))
    rows[1, :10] = -1.0  # a quarter of the sides
    rows[2, :20] = 0.0  # against none it is half of that
    assert judged(rows).shares.tolist() == [[0.0, 0.25, 0.25], [0.25, 0.0, 0.25], [0.25, 0.25, 0.0]]


def test_a_crowd_is_heard_whole() -> None:
    assert (judged(crowd(12)).weights == 1).all()


def test_a_minority_that_stands_against_the_rest_is_left_out() -> None:
    rows = crowd(12)
    rows[9:] *= -1
    found = judged(rows)
    assert found.weights.tolist() == [1.0] * 9 + [0.0] * 3
    assert found.account.rounds.tolist() == [JUDGEMENTS] * 12
    assert found.account.left_out.tolist() == [0] * 9 + [1] * 3
    assert found.account.first.tolist() == [-1] * 9 + [JUDGEMENTS - 1] * 3
    assert (found.difference[9:] >= found.limit).all()
    assert found.limit == pytest.approx(Judge.ratio * found.difference[:9].max())
    assert (found.account.difference[9:] == found.difference[9:]).all()
    assert found.account.limit.tolist() == [0] * 9 + [float(found.limit)] * 3


@pytest.mark.parametrize(("common", "goes"), [(100, False), (130, True)])
def test_a_group_that_agrees_nearly_as_much_stays(common: int, goes: bool) -> None:
    """Each of 8 turns 50 of 1000 sides of its own: two differ on 0.1. Two turn `common` more, the same for both: they
    differ from the others on 0.2 or 0.23, twice as much, but only 0.23 is an eighth of all sides above 0.1.
    """
    rows = np.ones((8, D))
    for at in range(8):
        rows[at, 50 * at : 50 * at + 50] = -1
    rows[6:, 400 : 400 + common] = -1
    found = judged(rows)
    assert found.weights.tolist() == [1.0] * 6 + [float(not goes)] * 2
    assert found.limit == pytest.approx(0.225 if goes else found.difference.max() + 0.125)


def test_never_half_of_the_workers_are_left_out() -> None:
    rows = crowd(12)
    rows[6:] *= -1
    assert (judged(rows).weights > 0).all()


def test_copies_count_for_two_and_the_copied_is_heard() -> None:
    rows = crowd(12)
    rows[8:] = rows[2] * np.array([[1.0], [3.0], [0.1], [7.0]])  # whatever their length
    found = judged(rows)
    assert found.weights[[2, 8, 9, 10, 11]].tolist() == [pytest.approx(0.4)] * 5
    assert found.voices[8:].tolist() == [3] * 4
    assert found.speakers(np.arange(1, 13)).tolist() == [True] * 8 + [False] * 4


def test_two_alike_count_in_full() -> None:
    """Honest workers that hold the same label are a pair; whoever differs must not outweigh them."""
    rows = crowd(12)
    rows[1] = 2 * rows[0]
    found = judged(rows)
    assert (found.weights == 1).all()
    assert found.speakers(np.arange(1, 13)).all()


def test_copies_cannot_vote_others_out() -> None:
    """Nine copies of one worker among twenty do not make the eleven that differ look odd."""
    rows = crowd(20, difference=0.3)
    rows[12:] = rows[0]
    assert (judged(rows).weights > 0).all()


def test_who_agrees_again_comes_back() -> None:
    rows, judge = crowd(9), Judge(every=1)
    lying = np.concatenate([rows[:7], -rows[7:]])
    opinion, workers = Opinion.none(), np.arange(1, 10)
    for round in range(10):
        opinion = judge(opinion, lying, NEUTRAL, workers, round)
    assert (opinion.weights[7:] == 0).all()
    for round in range(10, 40):
        opinion = judge(opinion, rows, NEUTRAL, workers, round)
    assert (opinion.weights == 1).all()


def test_nobody_is_judged_too_early_or_on_too_little() -> None:
    rows = crowd(9)
    rows[7:] *= -1
    assert (judged(rows, JUDGEMENTS - 1).weights == 1).all()
    assert (judged(rows[:, : LEAST_COORDINATES - 1], 9).weights == 1).all()


def test_in_few_coordinates_copies_are_one_voice_and_nobody_goes() -> None:
    """Eight directions of an octagon, and six copies of one more: the copies count for two together."""
    angles = np.append(np.arange(8) * np.pi / 4, np.full(6, 0.3))
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1) * np.arange(1.0, 15.0)[:, np.newaxis]
    found = judged(rows, 9)
    assert found.weights[:8].tolist() == [1] * 8
    np.testing.assert_allclose(found.weights[8:], 2 / 6)


def test_angles_by_hand() -> None:
    """At (1, 1), the rows point along (1, 0), (0, 2), (-3, 0) and (1, 1); NaN has no direction."""
    rows = np.array([[2.0, 1.0], [1.0, 3.0], [-2.0, 1.0], [2.0, 2.0], [np.nan, 0.0]])
    found = Angles.of(rows, np.ones(2)).all_differences()
    np.testing.assert_allclose(found[0], [0, 0.5, 1, 0.25, 0.5], atol=1e-12)
    huge = Angles.of(np.array([[1e300, 0.0], [0.0, 1e-300]]), np.zeros(2)).all_differences()
    np.testing.assert_allclose(huge, [[0, 0.5], [0.5, 0]], atol=1e-12)


def test_a_minority_stays_where_the_rest_do_not_agree() -> None:
    """Six of 20 differ 1.5 times as much from the rest as the rest does: too little where the rest differ on 0.42."""
    generator = np.random.default_rng(0)
    common = generator.choice([-1.0, 1.0], 4000)
    rows = np.where(generator.random((20, 4000)) < 0.3, -common, common)  # 2 * 0.3 * 0.7 = 0.42
    rows[14:] = np.where(generator.random((6, 4000)) < 0.83, -common, common)  # 0.3 * 0.17 + 0.7 * 0.83 = 0.63
    assert (judged(rows).weights[14:] == 0).all()
    assert (judged(rows, judge=Judge(every=1, apart=2.0)).weights == 1).all()


def test_what_is_not_finite_raises_nothing() -> None:
    rows = crowd(9)
    rows[7], rows[8] = np.nan, np.inf
    found = judged(rows)
    assert np.isfinite(found.shares).all()
    assert (found.weights[:7] > 0).all()


def test_of_many_workers_some_are_compared() -> None:
    rows = crowd(400, difference=0.1)
    rows[300:] *= -1
    found = judged(rows)
    assert found.shares.shape == (400, COMPARED)
    assert (found.weights[:300] == 1).all()
    assert (found.weights[300:] == 0).all()


def test_absent_workers_keep_their_place() -> None:
    rows, judge, opinion = crowd(8), Judge(every=1), Opinion.none()
    for round in range(12):
        here = np.array([2, 3, 5, 6, 7, 8]) if round % 2 else np.arange(1, 8)
        opinion = judge(opinion, rows[here - 1], NEUTRAL, here, round)
    assert opinion.weights.tolist() == [1.0] * 8


def test_watch_replaces_rows_once_somebody_is_judged() -> None:
    """Nine of twelve agree: from the first judgement on, the mean of these stands for the others, and for NaN."""
    rows, stage, workers = crowd(12), Watch(every=1), np.arange(1, 13)
    rows[9:] *= -1
    state = stage.init(rows[0])
    for round in range(JUDGEMENTS - 1):
        after, state = stage.step(state, Messages(rows, workers, round))
        assert after.rows is rows
    after, judged_state = stage.step(state, Messages(rows, workers, JUDGEMENTS - 1))
    np.testing.assert_allclose(cast(Rows, after.rows), np.vstack([rows[:9], *3 * [rows[:9].mean(axis=0)]]))
    spoilt = rows.copy()
    spoilt[0, 7] = np.nan
    after, _ = stage.step(judged_state, Messages(spoilt, workers, JUDGEMENTS))
    middle = rows[1:9].mean(axis=0)
    np.testing.assert_allclose(cast(Rows, after.rows), np.vstack([middle, rows[1:9], *3 * [middle]]))
    nothing = np.full_like(rows, np.nan)
    after, _ = stage.step(judged_state, Messages(nothing, workers, JUDGEMENTS))
    assert after.rows is nothing


WATCHED = Spec(data="digits", partition="by-label", rounds=400, eval_every=400, method="watchful-rsa")


@pytest.mark.parametrize("attack", ATTACKS)
def test_by_label_no_attack_of_eight_of_twenty_harms_it(attack: str) -> None:
    """The ceiling is 0.588; plain RSA ends below 0.5 under contrarian and below 0.2 under negative-sum."""
    found = run(replace(WATCHED, attack=attack, byzantine=8))
    assert found.accuracy is not None
    assert found.accuracy > 0.55


def test_where_nobody_lies_it_is_rsa_to_the_bit() -> None:
    plain = run(replace(WATCHED, method="rsa", rounds=60, eval_every=60))
    watched = run(replace(WATCHED, rounds=60, eval_every=60, method="watchful-rsa:near=0"))
    assert watched.model.tobytes() == plain.model.tobytes()


def test_bits_and_full_messages_judge_alike() -> None:
    spec = replace(WATCHED, rounds=60, eval_every=60, attack="sign-flip", byzantine=8)
    bits, full = (
        run(replace(spec, method=f"watchful-rsa:{options}")) for options in ("messages=bits", "norm=1,ties=coin")
    )
    assert bits.model.tobytes() == full.model.tobytes()


def test_a_rule_behind_watch_is_told_of_no_copies() -> None:
    spec = replace(WATCHED, attack="duplicate", byzantine=8, momentum=0.9)
    watched, plain = (run(replace(spec, method=method)).accuracy or 0 for method in ("watch+krum", "krum"))
    assert watched > 0.5 > plain


def test_a_master_remembers_what_its_stage_saw() -> None:
    experiment = assemble(remake_plan(replace(run(replace(WATCHED, rounds=1, method="watch+median")).spec, rounds=9)))
    state = experiment.program.init(experiment.problem.start())
    rows = crowd(20).astype(np.float32)[:, : len(state.model)]
    rows = np.resize(rows, (20, len(state.model)))
    state = experiment.program.step(state, Messages(rows, np.arange(1, 21), 0))
    found = opinion_in(state)
    assert found is not None
    assert found.times.max() == 1


WATCHING = ["watch:{}+median", "watchful-rsa:penalty=0.1,{}"]


def test_all_who_watch_accept_the_same_least_near() -> None:
    """Under near=0 nobody is a copy of anybody."""
    stage, method = (make_method(text.format("near=0")) for text in WATCHING)
    assert isinstance(stage, Aggregated)
    assert isinstance(method, WatchfulRsa)
    assert stage.stages == (Watch(near=0),)
    assert method.near == 0
    rows = crowd(12)
    rows[8:] = rows[2]
    assert (judged(rows, judge=Judge(every=1, near=0)).weights == 1).all()
    state = Watch(every=1, near=0).init(rows[0])
    for round in range(JUDGEMENTS):
        after, state = Watch(every=1, near=0).step(state, Messages(rows, np.arange(1, 13), round))
        assert after.rows is rows


@pytest.mark.parametrize(
    ("option", "value", "due"),
    [("near", 1, "a number >= 0 and < 1"), ("ratio", 1, "a number > 1"), ("every", 0, "a whole number >= 1")],
)
def test_all_who_watch_refuse_the_same_in_the_same_words(option: str, value: int, due: str) -> None:
    kinds: list[Any] = [Watch, WatchfulRsa]
    for kind, text, named in zip(kinds, WATCHING, ["stage 'watch'", "method 'watchful-rsa'"], strict=True):
        with pytest.raises(InvalidInput) as said:
            kind(**{option: value})
        assert str(said.value) == f"{option} must be {due}; got {value}"
        with pytest.raises(InvalidInput) as told:
            make_method(text.format(f"{option}={value}"))
        assert str(told.value) == f"{option} of {named} must be {due}; got '{value}'"


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("turned", [0.0, 0.1, 0.5])
def test_voices_that_differ_push_less(turned: float, seed: int) -> None:
    """The proposition of docs/watchful.md, at the least difference of two of eight voices."""
    sides, q = np.sign(crowd(8, turned, seed)), 8
    delta = differences(sides, NEUTRAL)[~np.eye(q, dtype=bool)].min()
    push = np.sqrt(np.mean(sides.sum(axis=0) ** 2))
    assert push <= np.sqrt(q + q * (q - 1) * (1 - 2 * delta)) + 1e-9
    assert turned or push == q  # equal voices: the bound is reached
