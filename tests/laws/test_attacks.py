"""What our attacks keep to beyond the laws of `holdfast.testing`: their address, and what an engine makes of them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast, get_args

import numpy as np
import pytest
from numpy.typing import NDArray

from holdfast.aggregators import Mean
from holdfast.attacks import REGISTRY, Attack, ColludingAttack, Contrarian, FullView, Gaussian, NegativeSum, WithMemory
from holdfast.engines import Simulated
from holdfast.errors import InvalidInput
from holdfast.methods import Aggregated, Constant, Method, Program, Ridge, Rsa, Served, Setting
from holdfast.methods.workers import Reply
from holdfast.typing import Messages, Rows, Vector, Workers

OURS = [member() for member in REGISTRY.values()]
SETTING = Setting(Constant(0.1), Ridge(0.0))
every_attack = pytest.mark.parametrize("attack", OURS, ids=list(REGISTRY))


def a_view(dtype: type = np.float64, round: int = 4, seed: int = 2) -> FullView:
    rows: Rows = np.random.default_rng(1).normal(size=(7, 5)).astype(dtype)
    return FullView(
        own=rows[:2],
        neutral=rows[2] / 2,
        workers=np.array([6, 7]),
        round=round,
        seed=seed,
        honest=rows[2:],
        honest_workers=np.arange(1, 6),
    )


def sent(attack: Attack, view: FullView) -> Rows:
    return cast(Any, attack)(view)  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "changes", [{"round": 5}, {"seed": 3}, {"workers": np.array([8, 9])}], ids=["round", "seed", "worker"]
)
def test_random_attacks_draw_anew_at_every_address(changes: dict[str, Any]) -> None:
    assert not np.array_equal(sent(Gaussian(), replace(a_view(), **changes)), sent(Gaussian(), a_view()))


@pytest.mark.parametrize("attack", [attack for attack in OURS if not isinstance(attack, WithMemory)], ids=str)
def test_an_attack_that_says_so_uses_its_own_messages(attack: Attack) -> None:
    view = a_view()
    assert np.array_equal(sent(attack, replace(view, own=view.own + 1)), sent(attack, view)) == (not attack.uses_own)


@pytest.mark.parametrize("attack", [Contrarian(), NegativeSum()], ids=str)
def test_colluding_attacks_take_honest_workers_in_any_order(attack: ColludingAttack) -> None:
    view, order = a_view(), [3, 0, 4, 1, 2]
    moved = replace(view, honest=view.honest[order], honest_workers=view.honest_workers[order])
    np.testing.assert_allclose(attack(moved), attack(view), rtol=1e-12)


class Multiples:
    """An oracle that can serve some of its workers alone."""

    def __init__(self, workers: Workers) -> None:
        self.workers = workers

    def only(self, workers: Workers) -> "Multiples":
        return Multiples(workers)

    def __call__(self, models: Rows, round: int, /) -> Rows:
        return models * self.workers[:, np.newaxis] + 1


def asking(program: Program, state: Served, lies: NDArray[np.bool_], round: int) -> Callable[[Rows], Vector]:
    """Return what the master of a round makes of rows, first those of honest workers."""
    places = np.concatenate([np.flatnonzero(~lies), np.flatnonzero(lies)])

    def ask(rows: Rows) -> Vector:
        ordered = np.empty_like(rows)
        ordered[places] = rows
        return program.direction(state, Messages(ordered, np.arange(1, len(rows) + 1), round, 9))[0]

    return ask


@every_attack
@pytest.mark.parametrize(
    "method",
    [Aggregated(Mean()), *(Rsa(norm=1.0, penalty=0.5, reply=reply) for reply in get_args(Reply))],
    ids=["SGD", "RSA, current", "RSA, updated"],
)
@pytest.mark.parametrize("always", [False, True])
def test_in_an_engine_byzantine_workers_attack_and_nobody_else(attack: Attack, method: Method, always: bool) -> None:
    """Honest rows are those of an engine without attack; the others are the attack's, computed for or not."""
    workers, byzantine, start = np.arange(1, 8), [2, 7], np.arange(3.0) + 1
    oracle, lies, program = Multiples(workers), np.isin(workers, byzantine), method.program(SETTING)
    honest = Simulated(program, oracle, start, workers)
    attacked = Simulated(
        program, oracle, start, workers, byzantine=byzantine, attack=attack, seed=9, computing_always=always
    )
    idle, memory = not attack.uses_own and not always, cast(Any, None)
    for round in range(3):
        state = program.init(start - 0.1 * round)
        truth = np.array(honest.exchange(state, round).rows)
        messages = cast(Rows, attacked.exchange(state, round).rows)
        view = FullView(
            truth[lies],
            program.worker.neutral(state.model),
            np.array(byzantine),
            round,
            9,
            truth[~lies],
            np.array([1, 3, 4, 5, 6]),
            aggregate=asking(program, state, lies, round),
        )
        np.testing.assert_array_equal(messages[~lies], truth[~lies])
        if isinstance(attack, WithMemory):
            memory = attack.init(view.neutral, view.workers) if round == 0 else memory
            due, memory = attack.step(memory, view)
        else:
            due = sent(attack, view)
        np.testing.assert_array_equal(messages[lies], due)
        for kept, expected in zip(attacked.state, honest.state, strict=True):
            np.testing.assert_array_equal(kept, expected[~lies] if idle else expected)
    assert attacked.honest.tolist() == [1, 3, 4, 5, 6]
    np.testing.assert_array_equal(attacked.iterates(state.model), honest.iterates(state.model)[~lies])


def test_an_oracle_that_serves_all_at_once_lets_nobody_be_idle() -> None:
    engine = an_engine([2], REGISTRY["infinite"]())
    assert cast(Rows, engine.exchange(Served(np.ones(2)), 0).rows).tolist() == [[1, 1], [np.inf, np.inf], [1, 1]]


def an_engine(byzantine: list[int], attack: Any = None) -> Simulated:
    return Simulated(
        Aggregated(Mean()).program(SETTING),
        lambda models, round: np.tile(models, (3, 1)),
        np.zeros(2),
        np.arange(1, 4),
        byzantine=byzantine,
        attack=attack,
    )


def test_byzantine_workers_need_an_attack() -> None:
    with pytest.raises(InvalidInput, match="Byzantine workers need an attack"):
        an_engine([1])


def test_somebody_must_be_honest() -> None:
    with pytest.raises(InvalidInput, match="at least one worker must be honest; got 3"):
        an_engine([1, 2, 3], REGISTRY["infinite"]())


def test_a_byzantine_worker_that_is_no_worker_is_not_passed_over() -> None:
    with pytest.raises(InvalidInput, match="4"):
        an_engine([1, 4], REGISTRY["infinite"]())
