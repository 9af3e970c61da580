"""What every attack keeps to: shape, type, its threat model and its address."""

from dataclasses import replace
from typing import Any, cast, get_args

import numpy as np
import pytest

from holdfast.attacks import REGISTRY, Attack, FullView, IndifferentAttack
from holdfast.engines import Simulated
from holdfast.errors import InvalidInput
from holdfast.methods.penalties import L1
from holdfast.methods.schedules import Constant
from holdfast.methods.workers import GradientWorker, PenalisedWorker, Reply
from holdfast.typing import Rows, Workers

every_attack = pytest.mark.parametrize("attack", [member() for member in REGISTRY.values()], ids=list(REGISTRY))


def a_view(dtype: type = np.float64, round: int = 4, seed: int = 2) -> FullView:
    rows: Rows = np.random.default_rng(1).normal(size=(7, 5)).astype(dtype)
    return FullView(
        own=rows[:2],
        neutral=rows[2] / 2,
        workers=np.array([6, 7]),
        round=round,
        seed=seed,
        honest=rows[2:],
        regular=np.arange(1, 6),
    )


def sent(attack: Attack, view: FullView) -> Rows:
    return cast(Any, attack)(view)  # type: ignore[no-any-return]


@every_attack
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_messages_look_like_messages(attack: Attack, dtype: type) -> None:
    view = a_view(dtype)
    before = view.own.copy(), view.honest.copy(), view.neutral.copy()
    messages = sent(attack, view)
    assert (messages.shape, messages.dtype) == (view.own.shape, np.dtype(dtype))
    for array, kept in zip((view.own, view.honest, view.neutral), before, strict=True):
        np.testing.assert_array_equal(array, kept)


@every_attack
def test_an_attack_repeats_itself(attack: Attack) -> None:
    np.testing.assert_array_equal(sent(attack, a_view()), sent(attack, a_view()))


@every_attack
def test_only_random_attacks_look_at_their_address(attack: Attack) -> None:
    base = sent(attack, a_view())
    elsewhere = [a_view(round=5), a_view(seed=3), replace(a_view(), workers=np.array([8, 9]))]
    changed = [not np.array_equal(sent(attack, view), base) for view in elsewhere]
    assert changed == [attack == REGISTRY["gaussian"]()] * 3


@every_attack
def test_liars_work_only_for_attacks_that_use_what_they_have(attack: Attack) -> None:
    view = a_view()
    other = sent(attack, replace(view, own=view.own + 1))
    assert np.array_equal(other, sent(attack, view)) == isinstance(attack, get_args(IndifferentAttack))


class Multiples:
    """An oracle that can serve some of its workers alone."""

    def __init__(self, workers: Workers) -> None:
        self.workers = workers

    def only(self, workers: Workers) -> "Multiples":
        return Multiples(workers)

    def __call__(self, models: Rows, round: int, /) -> Rows:
        return models * self.workers[:, np.newaxis] + 1


@every_attack
@pytest.mark.parametrize(
    "rule",
    [GradientWorker(), *(PenalisedWorker(L1(0.5), Constant(0.1), reply) for reply in get_args(Reply))],
    ids=["SGD", "RSA, current", "RSA, updated"],
)
@pytest.mark.parametrize("working", [False, True])
def test_in_a_fleet_liars_lie_and_nobody_else(
    attack: Attack, rule: GradientWorker | PenalisedWorker, working: bool
) -> None:
    """Regular rows are those of a fleet without liars; lies are those of liars who work, whether they do or not."""
    workers, liars, start = np.arange(1, 8), [2, 7], np.arange(3.0) + 1
    oracle, lies = Multiples(workers), np.isin(workers, liars)
    honest = Simulated(rule, oracle, start, workers)
    lying = Simulated(rule, oracle, start, workers, liars=liars, attack=cast(Any, attack), seed=9, working=working)
    idle = isinstance(attack, get_args(IndifferentAttack)) and not working
    for round in range(3):
        model = start - 0.1 * round
        truth, messages = honest.exchange(model, round), lying.exchange(model, round)
        view = FullView(
            truth[lies], rule.neutral(model), np.array(liars), round, 9, truth[~lies], np.array([1, 3, 4, 5, 6])
        )
        np.testing.assert_array_equal(messages[~lies], truth[~lies])
        np.testing.assert_array_equal(messages[lies], sent(attack, view))
        for kept, expected in zip(lying.state, honest.state, strict=True):
            np.testing.assert_array_equal(kept, expected[~lies] if idle else expected)
    assert lying.regular.tolist() == [1, 3, 4, 5, 6]
    np.testing.assert_array_equal(lying.iterates(model), honest.iterates(model)[~lies])


def test_an_oracle_that_serves_all_at_once_lets_nobody_be_idle() -> None:
    fleet = a_fleet([2], REGISTRY["infinite"]())
    assert fleet.exchange(np.ones(2), 0).tolist() == [[1, 1], [np.inf, np.inf], [1, 1]]


def a_fleet(liars: list[int], attack: Any = None) -> Simulated:
    return Simulated(
        GradientWorker(),
        lambda models, round: np.tile(models, (3, 1)),
        np.zeros(2),
        np.arange(1, 4),
        liars=liars,
        attack=attack,
    )


def test_liars_need_an_attack() -> None:
    with pytest.raises(InvalidInput, match="liars need an attack"):
        a_fleet([1])


def test_somebody_must_be_regular() -> None:
    with pytest.raises(InvalidInput, match="at least one worker must be regular; got 3"):
        a_fleet([1, 2, 3], REGISTRY["infinite"]())


def test_a_liar_that_is_no_worker_is_not_passed_over() -> None:
    with pytest.raises(InvalidInput, match="4"):
        a_fleet([1, 4], REGISTRY["infinite"]())
