"""One round of Algorithm 2 by hand: three workers, two coordinates; and Algorithm 1 beside it."""

from math import inf

import numpy as np
import pytest

from holdfast.aggregators import Mean
from holdfast.attacks import SameValue, SignFlip
from holdfast.engines import Simulated
from holdfast.engines.engine import train
from holdfast.methods import Aggregated, IdealRsa, Method, Program, Rsa, Served, Setting, Total
from holdfast.methods.penalties import L1, L2, LInf, Penalty
from holdfast.methods.priors import Ridge
from holdfast.methods.schedules import Constant, InverseSqrt
from holdfast.methods.workers import GradientWorker, Iterates, Reply
from holdfast.typing import Messages, Request, Rows, Schedule, Vector

CENTRES = np.array([[2.0, 0.0], [0.0, 0.0], [1.0, 3.0]])
WORKERS = np.array([1, 2, 3])
PRIOR, TENTH = Ridge(0.2), Constant(0.1)


def to_centres(models: Rows, round: int, /) -> Rows:
    """The gradients of |x - c_i|^2 / 2."""
    towards: Rows = models - CENTRES
    return towards


def played(method: Method, models: Rows, x0: Vector, round: int = 0, rate: Schedule = TENTH) -> tuple[Rows, Vector]:
    """Return the workers' models and the master's after one round from these."""
    program = method.program(Setting(rate, PRIOR))
    rows, state = program.worker.step(program.worker.init(models), Request(x0, WORKERS, round), to_centres)
    return state.model, program.step(program.init(x0), Messages(rows, WORKERS, round)).model


@pytest.mark.parametrize(
    ("reply", "master"), [("current", [0.05, 1.08]), ("updated", [0.05, 1.03])], ids=["current", "updated"]
)
def test_l1(reply: Reply, master: list[float]) -> None:
    """alpha = 0.1, lambda = 0.5, x0 = (0, 1), grad f0 = 0.2 x0 = (0, 0.2).

    i   x_i       c_i      gradient   sign(x_i - x0)   gradient + 0.5 sign   x_i after
    1   (1, 1)    (2, 0)   (-1, 1)    (1, 0)           (-0.5, 1)             (1.05, 0.9)
    2   (-1, 2)   (0, 0)   (-1, 2)    (-1, 1)          (-1.5, 2.5)           (-0.85, 1.75)
    3   (2, 3)    (1, 3)   (1, 0)     (1, 1)           (1.5, 0.5)            (1.85, 2.95)

    From the current x_i:  sum sign(x0 - x_i) = (-1, -2),  x0 - 0.1 ((0, 0.2) + 0.5 (-1, -2)) = (0.05, 1.08).
    From the updated x_i:  (-1, 1) + (1, -1) + (-1, -1) = (-1, -1),  hence (0.05, 1.03).
    """
    method = Rsa(norm=1.0, penalty=0.5, reply=reply)
    models, x0 = played(method, np.array([[1.0, 1.0], [-1.0, 2.0], [2.0, 3.0]]), np.array([0.0, 1.0]))
    np.testing.assert_allclose(models, [[1.05, 0.9], [-0.85, 1.75], [1.85, 2.95]], rtol=1e-14)
    np.testing.assert_allclose(x0, master, rtol=1e-14)


AWAY = np.array([[4.0, 4.0], [-1.0, -2.0], [1.0, 0.0]])
"""From x0 = (1, 0): (3, 4), (-2, -2), (0, 0)."""


def test_l2() -> None:
    """alpha = 0.1, lambda = 2, x0 = (1, 0), grad f0 = (0.2, 0); h = 2 / sqrt(8) = sqrt(1/2).

    i   gradient    x_i - x0    its direction   gradient + 2 direction   x_i after
    1   (2, 4)      (3, 4)      (0.6, 0.8)      (3.2, 5.6)               (3.68, 3.44)
    2   (-1, -2)    (-2, -2)    (-h, -h)        (-1 - 2h, -2 - 2h)       (-0.9 + 0.2h, -1.8 + 0.2h)
    3   (0, -3)     (0, 0)      (0, 0)          (0, -3)                  (1, 0.3)

    x0 - 0.1 ((0.2, 0) - 2 (0.6 - h, 0.8 - h)) = (1.1 - 0.2h, 0.16 - 0.2h).
    """
    h = 0.5**0.5
    models, x0 = played(Rsa(norm=2.0, penalty=2.0), AWAY, np.array([1.0, 0.0]))
    np.testing.assert_allclose(models, [[3.68, 3.44], [-0.9 + 0.2 * h, -1.8 + 0.2 * h], [1, 0.3]], rtol=1e-14)
    np.testing.assert_allclose(x0, [1.1 - 0.2 * h, 0.16 - 0.2 * h], rtol=1e-13)


def test_linf() -> None:
    """As above, with the sign of the largest entry, which worker 2's two entries share.

    i   gradient    x_i - x0    its share       gradient + 2 share   x_i after
    1   (2, 4)      (3, 4)      (0, 1)          (2, 6)               (3.8, 3.4)
    2   (-1, -2)    (-2, -2)    (-0.5, -0.5)    (-2, -3)             (-0.8, -1.7)
    3   (0, -3)     (0, 0)      (0, 0)          (0, -3)              (1, 0.3)

    x0 - 0.1 ((0.2, 0) - 2 (-0.5, 0.5)) = (0.88, 0.1).
    """
    models, x0 = played(Rsa(norm=inf, penalty=2.0), AWAY, np.array([1.0, 0.0]))
    np.testing.assert_allclose(models, [[3.8, 3.4], [-0.8, -1.7], [1, 0.3]], rtol=1e-14)
    np.testing.assert_allclose(x0, [0.88, 0.1], rtol=1e-13)


def test_both_sides_step_by_the_rate_of_the_round() -> None:
    """In round 3, alpha = 0.2 / sqrt(4) = 0.1: the numbers of test_linf again."""
    models, x0 = played(Rsa(norm=inf, penalty=2.0), AWAY, np.array([1.0, 0.0]), round=3, rate=InverseSqrt(0.2))
    np.testing.assert_allclose(models[0], [3.8, 3.4], rtol=1e-14)
    np.testing.assert_allclose(x0, [0.88, 0.1], rtol=1e-13)


def test_the_sum_of_the_mean_is_distributed_sgd() -> None:
    """Eq. update:x at x = (1, 0): the gradients (-1, 0), (1, 0), (0, -3) add up to (0, -3).

    x - 0.1 ((0.2, 0) + (0, -3)) = (0.98, 0.3).
    """
    program, x = Aggregated(Mean()).program(Setting(Constant(0.1), PRIOR)), np.array([1.0, 0.0])
    rows, _ = program.worker.step(program.worker.init(np.tile(x, (3, 1))), Request(x, WORKERS, 0), to_centres)
    assert rows.tolist() == [[-1, 0], [1, 0], [0, -3]]
    assert program == Program(GradientWorker(), Mean(), Constant(0.1), PRIOR, serving=(Total(),))
    np.testing.assert_allclose(program.step(program.init(x), Messages.of(rows)).model, [0.98, 0.3], rtol=1e-14)


def test_rsa_at_its_start_feels_no_pull() -> None:
    """When all x_i = x0, workers follow their gradients alone and the master its regulariser alone."""
    x = np.array([1.0, -1.0])
    models, x0 = played(Rsa(penalty=0.5), np.tile(x, (3, 1)), x)
    np.testing.assert_allclose(models, x - 0.1 * (x - CENTRES))
    np.testing.assert_allclose(x0, 0.98 * x)


def by_loops(p: float, weight: float, lies: dict[int, list[float]], rounds: int) -> list[float]:
    """x0 after some rounds of Algorithm 2 from 0, as its equations stand, number by number."""
    x0, xs = [0.0, 0.0], [[0.0, 0.0] for _ in CENTRES]
    for k in range(rounds):
        alpha = 0.3 / (k + 1) ** 0.5
        sent = [lies.get(i, x) for i, x in enumerate(xs)]
        pulls = [subgradient([a - b for a, b in zip(x0, z, strict=True)], p) for z in sent]
        after = [x0[j] - alpha * (0.2 * x0[j] + weight * sum(pull[j] for pull in pulls)) for j in (0, 1)]
        for x, centre in zip(xs, CENTRES, strict=True):
            pull = subgradient([a - b for a, b in zip(x, x0, strict=True)], p)
            for j in (0, 1):
                x[j] -= alpha * (x[j] - centre[j] + weight * pull[j])
        x0 = after
    return x0


def subgradient(x: list[float], p: float) -> list[float]:
    """Proposition 1, number by number."""
    if not any(x):
        return [0.0, 0.0]
    if p == inf:
        largest = [abs(entry) == max(map(abs, x)) for entry in x]
        return [float(np.sign(entry)) * chosen / sum(largest) for entry, chosen in zip(x, largest, strict=True)]
    length = sum(abs(entry) ** p for entry in x) ** (1 / p)
    return [float(np.sign(entry)) * (abs(entry) / length) ** (p - 1) for entry in x]


@pytest.mark.parametrize("p", [1, 2, inf, 3])
@pytest.mark.parametrize("lies", [{}, {1: [100.0, 100.0]}], ids=["all honest", "worker 2 lies"])
def test_rounds_of_an_engine_are_algorithm_2(p: float, lies: dict[int, list[float]]) -> None:
    program = Rsa(norm=p, penalty=0.4).program(Setting(InverseSqrt(0.3), PRIOR))
    byzantine = [i + 1 for i in lies]
    engine = Simulated(program, to_centres, np.zeros(2), WORKERS, byzantine=byzantine, attack=SameValue(100.0))
    states = list(train(program, engine, program.init(np.zeros(2)), range(6)))
    for rounds, state in enumerate(states, start=1):
        np.testing.assert_allclose(state.model, by_loops(p, 0.4, lies, rounds), rtol=1e-12, atol=1e-15)
    assert np.abs(states[-1].model).min() > 0.01


@pytest.mark.parametrize("rule", [L1(0.5), L2(2.0), LInf(2.0)], ids=str)
def test_the_ideal_variant_hears_honest_workers_only(rule: Penalty) -> None:
    """Eq. diff:x: workers 1 and 3 alone. A lie moves no coordinate of the master by more than alpha lambda."""
    assert IdealRsa().participants == "honest"
    method, start, honest = IdealRsa(norm=rule.p, penalty=rule.weight), np.array([1.0, 0.0]), [0, 2]
    program = method.program(Setting(Constant(0.1), PRIOR))
    everyone = Simulated(program, to_centres, start, WORKERS, byzantine=[2], attack=SignFlip())
    ideal = Simulated(program, lambda models, _: models - CENTRES[honest], start, WORKERS[honest])
    everyone.state, ideal.state = Iterates(AWAY), Iterates(AWAY[honest])
    attacked = program.step(program.init(start), everyone.exchange(Served(start), 0)).model
    alone = program.step(program.init(start), ideal.exchange(Served(start), 0)).model
    by_hand = start - 0.1 * (0.2 * start + sum(rule.subgradient(start - AWAY[i]) for i in honest))
    np.testing.assert_allclose(alone, by_hand, rtol=1e-14)
    np.testing.assert_array_equal(everyone.iterates(start), ideal.iterates(start))
    assert 0 < np.abs(attacked - alone).max() <= 0.1 * rule.weight * (1 + 1e-12)
