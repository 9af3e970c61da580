"""Workers that share a process: who is not asked keeps its state, whatever the state is made of."""

import numpy as np
import pytest
from small import problem

from holdfast.engines.worker_group import WorkerGroup
from holdfast.methods import GradientWorker, PenalisedWorker, WithMomentum
from holdfast.methods.penalties import L1, L2
from holdfast.methods.schedules import Constant
from holdfast.states import arrays_of, map_state
from holdfast.typing import Request, Worker, Workers

WORKERS = np.arange(1, 8)
RULES = [
    PenalisedWorker(L1(0.05), Constant(0.1)),
    GradientWorker(),
    WithMomentum(GradientWorker(), 0.5),
    WithMomentum(WithMomentum(PenalisedWorker(L2(0.05), Constant(0.1)), 0.5), 0.9),
]


def group(rule: Worker, workers: Workers, idle: Workers | None = None) -> WorkerGroup:  # type: ignore[type-arg]
    return WorkerGroup(rule, problem().oracle(workers), problem().start(), workers, idle)


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_workers_do_together_what_each_does_alone(rule: Worker) -> None:  # type: ignore[type-arg]
    together, alone = group(rule, WORKERS), [group(rule, np.array([worker])) for worker in WORKERS]
    generator = np.random.default_rng(1)
    for round in range(6):
        model = generator.normal(size=15).astype(np.float32)
        asked = np.sort(generator.choice(WORKERS, size=7 if round == 3 else 3, replace=False))
        rows = together.answer(Request(model, asked, round)).copy()
        for row, worker in zip(rows, asked, strict=True):
            assert row.tobytes() == alone[worker - 1].answer(Request(model, np.array([worker]), round))[0].tobytes()
        for worker in WORKERS:
            own = arrays_of(map_state(lambda array, at=worker - 1: array[at : at + 1], together.state))
            for name, array in arrays_of(alone[worker - 1].state).items():
                assert own[name].tobytes() == array.tobytes()


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_state_that_was_taken_stays_as_it_was(rule: Worker) -> None:  # type: ignore[type-arg]
    some = group(rule, WORKERS)
    model = np.ones(15, np.float32)
    some.answer(Request(model, WORKERS, 0))
    before = some.state
    copy = map_state(np.array, before)
    some.answer(Request(model, WORKERS[:3], 1))
    some.answer(Request(model, WORKERS, 2))
    for name, array in arrays_of(before).items():
        assert array.tobytes() == arrays_of(copy)[name].tobytes()


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_idle_workers_answer_what_is_neutral_and_keep_nothing(rule: Worker) -> None:  # type: ignore[type-arg]
    idle, model = np.array([2, 7]), np.ones(15, np.float32)
    some, all_of_them = group(rule, WORKERS, idle), group(rule, WORKERS)
    for asked in (WORKERS, np.array([2, 3, 7]), idle):
        request = Request(model, asked, 0)
        rows, expected = some.answer(request).copy(), all_of_them.answer(request).copy()
        expected[np.isin(asked, idle)] = rule.neutral(model)
        assert rows.tobytes() == expected.tobytes()
    assert all(len(array) == 5 for array in arrays_of(some.state).values())
