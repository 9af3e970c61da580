"""Some of the workers at a time, and several steps at a time."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from changed import ready
from holdfast import attacks
from holdfast.engines.worker_group import Participation
from holdfast.errors import InvalidInput
from holdfast.methods import Rsa, Served, make_method
from holdfast.methods.penalties import L1, L2, LInf, Penalty
from holdfast.methods.schedules import Constant
from holdfast.methods.workers import Iterates, PenalisedWorker
from holdfast.runs.experiment import assemble
from holdfast.runs.observers import LoggingObserver
from holdfast.runs.plan import remake_plan
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.typing import Request
from pairs import pairs

BASE = Spec(data="digits", method="rsa", workers=10, rounds=6, eval_every=3, batch=8)
NUMBERS = replace(BASE, rate=1e-5)
"""With a rate near those that the rule finds here; finding one takes ten times such a run."""


def test_as_many_are_asked_as_said_and_each_as_often() -> None:
    """Over 2000 rounds each of 10 is asked 600 times on average; deviation sqrt(2000 * 0.3 * 0.7) = 20.5, times 5."""
    crowd = Participation(np.arange(1, 11), share=0.3, seed=4)
    asked = [crowd.select_workers(round) for round in range(2000)]
    assert {len(numbers) for numbers in asked} == {3}
    assert all((np.diff(numbers) > 0).all() for numbers in asked)
    times = np.bincount(np.concatenate(asked))[1:]
    assert np.abs(times - 600).max() < 103


@pytest.mark.parametrize(("share", "size"), [(1.0, 30), (0.1, 3), (0.01, 1), (0.101, 4), (0.5, 15), (0.999, 30)])
def test_the_number_is_rounded_up(share: float, size: int) -> None:
    assert Participation(np.arange(1, 31), share).size == size
    assert len(Participation(np.arange(1, 31), share).select_workers(0)) == size


def test_who_is_not_asked_keeps_its_model() -> None:
    experiment = assemble(remake_plan(ready(replace(BASE, participation=0.3))))
    engine, x0 = experiment.engine, experiment.problem.start()
    asked = Participation(np.arange(1, 11), 0.3, 0).select_workers(0) - 1
    before = engine.state.model
    engine.exchange(Served(x0), 0)
    changed = (engine.state.model != before).any(axis=1)
    np.testing.assert_array_equal(np.flatnonzero(changed), asked)


def test_those_asked_do_what_they_do_among_all() -> None:
    """Round 0 from a common state: whoever is asked takes the step it takes when all are."""
    some, everyone = (assemble(remake_plan(ready(replace(BASE, participation=share)))) for share in (0.4, 1.0))
    for experiment in (some, everyone):
        experiment.engine.exchange(Served(experiment.problem.start()), 0)
    asked = Participation(np.arange(1, 11), 0.4, 0).select_workers(0) - 1
    np.testing.assert_array_equal(some.engine.state.model[asked], everyone.engine.state.model[asked])


@pytest.mark.parametrize(("method", "attack"), pairs())
def test_every_method_and_attack_takes_part_in_part(method: str, attack: str) -> None:
    known = make_method(method).with_penalty(0.7)
    spec = replace(NUMBERS, workers=12, method=known, attack=attack, byzantine=1, participation=0.6)
    first, second = run(spec), run(spec)
    assert first.model.tobytes() == second.model.tobytes()
    assert first.diverged is None or method == "sgd"


@pytest.mark.parametrize("attack", attacks.REGISTRY)
def test_byzantine_workers_that_work_for_nothing_change_nothing(attack: str) -> None:
    for method, share in product(("rsa:penalty=0.7", "median"), (1.0, 0.3)):
        spec = replace(NUMBERS, method=method, attack=attack, byzantine=(2, 5, 9), participation=share)
        idle, working = run(spec), run(replace(spec, byzantine_work="always"))
        assert idle.model.tobytes() == working.model.tobytes(), (method, share)
        assert idle.history == working.history, (method, share)


def test_byzantine_workers_alone_in_a_round_have_nobody_to_look_at() -> None:
    for name in attacks.REGISTRY:
        attack = "alie:z=1" if name == "alie" else name  # whose own z needs an honest half
        spec = replace(BASE, attack=attack, byzantine=8, participation=0.1, rounds=30, eval_every=30)
        spec = replace(spec, method="rsa:penalty=1", rate=0.001)
        assert run(spec).diverged is None


def test_a_rule_with_too_few_of_them_says_so_before_the_first_round() -> None:
    with pytest.raises(InvalidInput, match=r"Krum needs n >= byzantine \+ 3; got n=5, byzantine=3"):
        run(replace(BASE, method="krum", byzantine=3, attack="gaussian", participation=0.5))


def test_duplicate_still_needs_a_worker_that_exists() -> None:
    with pytest.raises(InvalidInput, match="needs an honest worker to copy; got worker=10"):
        run(replace(BASE, attack="duplicate:worker=10", byzantine=1, participation=0.5))


def test_two_local_steps_by_hand() -> None:
    """x = 1, x0 = 0, gradient of draw k is k, rate 0.1, lambda 1, round 3: draws 6 and 7.

    1 - 0.1 (6 + 1) = 0.3, then 0.3 - 0.1 (7 + 1) = -0.5.
    """
    worker = PenalisedWorker(L1(1.0), Constant(0.1), steps=2)
    before, request = Iterates(np.array([[1.0]])), Request(np.array([0.0]), np.array([1]), 3)
    message, state = worker.step(before, request, np.full_like)
    assert message.tolist() == [[1.0]]
    np.testing.assert_allclose(state.model, [[-0.5]])
    shown, _ = replace(worker, reply="updated").step(before, request, np.full_like)
    np.testing.assert_allclose(shown, [[-0.5]])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("penalty", [L1(0.5), L2(0.5), LInf(0.5)], ids=str)
def test_the_fused_local_steps_are_the_plain_ones(penalty: Penalty, dtype: Any) -> None:
    rsa = Rsa(norm=penalty.p, penalty=0.5, local_steps=3)
    experiment = assemble(remake_plan(ready(replace(BASE, method=rsa, rate=0.001, dtype=dtype))))
    engine, x0 = experiment.engine, experiment.problem.start() + np.dtype(dtype).type(0.25)
    oracle, rate = experiment.problem.oracle(experiment.problem.workers), 0.001 / 5**0.5  # of round 4
    plain = engine.state.model
    for draw in (12, 13, 14):
        plain = plain - rate * (oracle(plain, draw) + penalty.subgradient(plain - x0))
    engine.exchange(Served(x0), 4)
    assert engine.state.model.tobytes() == plain.tobytes()


def test_more_local_steps_learn_more_a_round() -> None:
    slow, fast = run(replace(BASE, rounds=20)), run(replace(BASE, rounds=20, method="rsa:local_steps=5"))
    assert slow.last is not None
    assert fast.last is not None
    assert fast.last.distance > slow.last.distance  # workers go their own ways for longer


def test_a_run_says_that_the_theorems_are_about_one_step() -> None:
    warned: list[str] = []

    class Listener(LoggingObserver):
        def warn(self, text: str) -> None:
            warned.append(text)

    run(replace(BASE, method="rsa:local_steps=2"), observer=Listener())
    run(replace(BASE, method="sgd"), observer=Listener())
    assert warned == ["the paper's theorems are about 1 local step a round; got 2"]
