"""The row law: stepping stacked rows equals stacking single steps, bit for bit."""

from collections.abc import Callable
from math import inf, nan
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from holdfast import problems
from holdfast.aggregators import Mean
from holdfast.engines import Simulated
from holdfast.methods import Aggregated, Method, Rsa, Setting
from holdfast.methods.penalties import L1, L2, LInf, Lp, Penalty
from holdfast.methods.priors import Ridge
from holdfast.methods.schedules import InverseSqrt
from holdfast.methods.workers import GradientWorker, PenalisedWorker
from holdfast.problems import LinearProblem, Shards, Softmax
from holdfast.typing import Request, Rows, Worker

ProblemMaker = Callable[..., LinearProblem]

PENALTIES: list[Penalty] = [L1(0.1), L2(1.2), LInf(20.0), Lp(3.5, 0.7), Lp(1.01, 0.1)]
RULES: list[Worker[Any]] = [
    *(PenalisedWorker(penalty, InverseSqrt(0.1)) for penalty in PENALTIES),
    PenalisedWorker(L1(0.1), InverseSqrt(0.1), reply="updated"),
    GradientWorker(),
]
every_type = pytest.mark.parametrize("dtype", [np.float32, np.float64])
every_problem = pytest.mark.parametrize("kind", problems.REGISTRY)


def random_rows(n: int, d: int, dtype: type) -> Rows:
    return np.random.default_rng(3).normal(size=(n, d)).astype(dtype)


def assert_same_bits(rows: NDArray[Any], expected: NDArray[Any]) -> None:
    assert (rows.dtype, rows.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(rows, expected)
    assert rows.tobytes() == expected.tobytes()  # which also tells 0.0 from -0.0


@every_type
@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
def test_penalties(penalty: Penalty, dtype: type) -> None:
    rows = random_rows(7, 101, dtype)
    rows[1], rows[2, 3], rows[3, 4], rows[4] = 0, nan, inf, 1e-40
    alone = [penalty.subgradient(row[np.newaxis]) for row in rows]
    assert_same_bits(penalty.subgradient(rows), np.concatenate(alone))
    assert_same_bits(penalty.subgradient(rows), np.stack([penalty.subgradient(row) for row in rows]))


@every_type
@every_problem
@pytest.mark.parametrize(("width", "batch"), [(1, 1), (13, 8), (64, 33)])
def test_oracles(small_problem: ProblemMaker, kind: str, dtype: type, width: int, batch: int) -> None:
    problem = small_problem(kind, dtype, width=width, batch=batch)
    workers = problem.shards.workers
    models = random_rows(len(workers), problem.dimension, dtype)
    for round in (0, 1, 17):
        alone = [problem.oracle(workers[[i]])(models[[i]], round) for i in range(len(workers))]
        assert_same_bits(problem.oracle(workers)(models, round), np.concatenate(alone))
        shared = [problem.oracle(workers[[i]])(models[0], round) for i in range(len(workers))]
        assert_same_bits(problem.oracle(workers)(models[0], round), np.concatenate(shared))


@every_type
@every_problem
@pytest.mark.parametrize("rule", RULES, ids=str)
def test_worker_rules(small_problem: ProblemMaker, rule: Worker[Any], kind: str, dtype: type) -> None:
    problem = small_problem(kind, dtype, width=13)
    workers = problem.shards.workers
    model = problem.start() + dtype(0.01)
    start = random_rows(len(workers), problem.dimension, dtype)
    together = rule.init(start)
    alone = [rule.init(start[[i]]) for i in range(len(workers))]
    for round in range(3):
        rows, together = rule.step(together, Request(model, workers, round), problem.oracle(workers))
        steps = [
            rule.step(alone[i], Request(model, workers[[i]], round), problem.oracle(workers[[i]]))
            for i in range(len(workers))
        ]
        assert_same_bits(rows, np.concatenate([row for row, _ in steps]))
        alone = [state for _, state in steps]
        for field, parts in zip(together, zip(*alone, strict=True), strict=True):
            assert_same_bits(field, np.concatenate(parts))
        model = model - dtype(0.1) * rows.mean(axis=0)


METHODS: list[Method] = [
    *(Rsa(norm=penalty.p, penalty=penalty.weight) for penalty in PENALTIES),
    Rsa(penalty=0.1, reply="updated"),
    Aggregated(Mean()),
]


@pytest.fixture(scope="module", params=[np.float32, np.float64], ids=["float32", "float64"])
def images(request: pytest.FixtureRequest) -> LinearProblem:
    """A problem of the paper's size: 20 workers, 784 raw pixels, 10 classes, batches of 32."""
    generator = np.random.default_rng(0)
    features = generator.integers(0, 256, (300, 784), dtype=np.uint8)
    parts = np.array_split(np.arange(300), 20)
    shards = Shards.deal(features, generator.integers(0, 10, 300), parts, dtype=request.param)
    return Softmax(shards, outputs=10, batch=32, weight=1 / 20)


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_a_worker_alone_repeats_its_row_of_the_simulation(images: LinearProblem, method: Method) -> None:
    workers, start = images.workers, images.start()
    program = method.program(Setting(InverseSqrt(0.001), Ridge(0.01)))
    everyone = Simulated(program, images.oracle(workers), start, workers)
    some = {i: Simulated(program, images.oracle(workers[[i]]), start, workers[[i]]) for i in (0, 6, 19)}
    state = program.init(start)
    for round in range(4):
        messages = everyone.exchange(state, round)
        rows = cast(Rows, messages.rows)
        for i, alone in some.items():
            assert_same_bits(cast(Rows, alone.exchange(state, round).rows), rows[[i]])
            assert_same_bits(alone.iterates(state.model), everyone.iterates(state.model)[[i]])
        state = program.step(state, messages)
    assert np.abs(state.model).max() > 0
    assert state.model.dtype == start.dtype
