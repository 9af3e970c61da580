"""Whole iterations of the paper's setting: 20 workers, batches of 32, MNIST, 8 workers that send the same value.

Gradients of all workers, the attack, the master's step; no evaluation. One thread.
"""

from collections.abc import Callable
from dataclasses import replace
from statistics import median

import numpy as np
from numpy.typing import NDArray

from benchmarks.floors import flops_a_second
from benchmarks.record import Effort, Measured, Record
from benchmarks.tables import Table, milliseconds, number
from benchmarks.timing import once
from holdfast.methods import REGISTRY
from holdfast.runs.experiment import Experiment, assemble
from holdfast.runs.plan import fill_defaults, remake_plan
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import require_number
from holdfast.streams import Stream

THREADS = 1
BYZANTINE = 8
L1 = "norm=1,penalty=0.07"
ALONE = Spec(method=f"rsa:{L1}", declared=BYZANTINE, rate=1e-4)
ATTACKED = replace(ALONE, attack="same-value", byzantine=BYZANTINE, byzantine_work="always")
"""All compute: as many gradients as the peers."""
SETTINGS = {
    **{method: method for method in REGISTRY},
    "rsa": f"rsa:{L1}",
    "ideal-rsa": f"ideal-rsa:{L1}",
    "rsa, l2": "rsa:norm=2,penalty=1.2",
    "rsa, l-infinity": "rsa:norm=inf,penalty=20",
}
BLOCK = 25
"""Rounds of one method before it is the next one's turn: so all of them see the same ups and downs of the machine."""
FLOPS = 4 * 20 * 32 * 784 * 10
"""Scores and gradients: a multiplication and an addition each, for every worker, sample, pixel and class."""

PAPER = {
    "ideal-sgd": "the yardstick",
    "rsa": "slightly slower than Ideal SGD, faster than Krum",
    "median": "slightly slower than Ideal SGD, faster than Krum",
    "krum": "slower than RSA and Median",
    "geometric-median": "slowest",
}
"""What the paper says of their running times."""


def measure(effort: Effort) -> Record:
    plays: dict[str, Callable[[int], object]] = {}
    for name, method in SETTINGS.items():
        plays[f"iterations/attacked/{name}"] = _player(replace(ATTACKED, method=method))
        plays[f"iterations/alone/{name}"] = _player(replace(ALONE, method=method))
    _check_numpy()
    plays["iterations/attacked/NumPy"] = NumpyRsa(attacked=True).play
    plays["iterations/alone/NumPy"] = NumpyRsa(attacked=False).play
    times: dict[str, list[float]] = {name: [] for name in plays}
    floors = []
    for block in range(6 if effort.quick else 20):
        floors.append(FLOPS / flops_a_second())
        for name, play in plays.items():
            rounds = range(block * BLOCK, (block + 1) * BLOCK)
            times[name] += [once(lambda play=play, round=round: play(round))[0] for round in rounds]
    record = Record({name: median(some) for name, some in times.items()})
    record.numbers["iterations/floor"] = median(floors)
    return record


def _player(spec: Spec) -> Callable[[int], object]:
    experiment = assemble(remake_plan(fill_defaults(spec)))
    program, engine = experiment.program, experiment.engine
    state = program.init(experiment.problem.start())

    def play(round: int) -> None:
        nonlocal state
        state = program.step(state, engine.exchange(state, round))

    return play


class NumpyRsa:
    """The l1-RSA iteration as one would write it with NumPy, batched over the workers."""

    def __init__(self, attacked: bool) -> None:
        self.spec = fill_defaults(ATTACKED if attacked else ALONE)
        self.experiment: Experiment = assemble(remake_plan(self.spec))
        problem, shards = self.experiment.problem, self.experiment.problem.shards
        self.features, self.targets, self.starts = shards.features, shards.targets, shards.starts
        self.batch, self.weight, self.classes = problem.batch, problem.weight, problem.outputs
        self.rate, self.penalty = self.experiment.program.rate, float(self.spec.method.penalty)
        self.l2 = require_number(self.spec.l2)
        self.master = problem.start()
        self.models = np.tile(self.master, (len(shards.workers), 1))
        self.attacked = attacked
        self.random = np.random.default_rng(0)

    def play(self, round: int) -> None:
        sizes = np.diff(self.starts)[:, np.newaxis]
        self.step(round, self.starts[:-1, np.newaxis] + self.random.integers(0, sizes, (len(sizes), self.batch)))

    def step(self, round: int, rows: NDArray[np.int64]) -> None:
        m, classes = len(self.models), self.classes
        x, y = self.features[rows].astype(np.float32), self.targets[rows]
        weights, biases = self.models[:, :-classes].reshape(m, classes, -1), self.models[:, -classes:]
        likely = np.exp(_centred(x @ weights.transpose(0, 2, 1) + biases[:, np.newaxis]))
        likely /= likely.sum(axis=2, keepdims=True)
        np.put_along_axis(likely, y[:, :, np.newaxis], np.take_along_axis(likely, y[:, :, np.newaxis], 2) - 1, 2)
        likely *= self.weight / self.batch
        gradients = np.concatenate([(likely.transpose(0, 2, 1) @ x).reshape(m, -1), likely.sum(axis=1)], axis=1)
        alpha = self.rate(round)
        messages = self.models
        if self.attacked:
            messages = messages.copy()
            messages[-BYZANTINE:] = 100
        pull = self.penalty * np.sign(self.master - messages).sum(axis=0)
        self.models = self.models - alpha * (gradients + self.penalty * np.sign(self.models - self.master))
        self.master = self.master - alpha * (self.l2 * self.master + pull)


def _centred(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    return scores - scores.max(axis=2, keepdims=True)


def _check_numpy(rounds: int = 5) -> None:
    """Play some rounds on the same batches; afterwards nobody may be farther apart than rounding explains.

    Rounding can turn the sign of a difference near 0, so what is compared is the bulk of the coordinates.
    """
    plain = NumpyRsa(attacked=False)
    problem, shards = plain.experiment.problem, plain.experiment.problem.shards
    program, engine = plain.experiment.program, plain.experiment.engine
    ours = program.init(problem.start())
    sizes = np.diff(shards.starts)
    for round in range(rounds):
        drawn = Stream(problem.seed, "batch").integers(shards.workers, round, sizes, problem.batch)
        plain.step(round, shards.starts[:-1, np.newaxis] + drawn)
        ours = program.step(ours, engine.exchange(ours, round))
    apart = np.abs(plain.models - engine.state.model) / np.abs(plain.models).max()
    if not np.mean(apart < 1e-4) > 0.99:
        raise AssertionError(f"NumPy's RSA differs from ours in {np.mean(apart >= 1e-4):.1%} of the coordinates")


def tables(measured: Measured) -> list[Table]:
    if "iterations/floor" not in measured.numbers:
        return []
    order = sorted(SETTINGS, key=lambda method: measured.typical(f"iterations/attacked/{method}") or 0)
    return [_overhead(measured, order), _floors(measured)]


def _overhead(measured: Measured, order: list[str]) -> Table:
    ideal = "iterations/attacked/ideal-sgd"
    rows = []
    for method in order:
        attacked, alone = f"iterations/attacked/{method}", f"iterations/alone/{method}"
        rows.append(
            [
                method,
                milliseconds(measured.typical(attacked)),
                number(measured.ratio(attacked, ideal)),
                milliseconds(measured.typical(alone)),
                number(measured.ratio(alone, ideal)),
                PAPER.get(method, ""),
            ]
        )
    return Table(
        "An iteration of the paper's setting over Ideal SGD: milliseconds, one thread",
        ["method", "8 Byzantine", "/ Ideal SGD", "all honest", "/ Ideal SGD", "the paper"],
        rows,
        ["In Ideal SGD everybody is honest; in Ideal RSA only the 12 honest workers take part."],
    )


def _floors(measured: Measured) -> Table:
    floor = "iterations/floor"
    rows = [["floating-point floor", milliseconds(measured.typical(floor)), "1.00", ""]]
    for label, name in (("l1-RSA", "rsa"), ("Ideal SGD", "ideal-sgd"), ("l1-RSA in batched NumPy", "NumPy")):
        for company in ("alone",) if name == "ideal-sgd" else ("attacked", "alone"):
            key = f"iterations/{company}/{name}"
            rows.append(
                [
                    label + {"attacked": ", 8 Byzantine", "alone": ", all honest"}[company],
                    milliseconds(measured.typical(key)),
                    number(measured.ratio(key, floor)),
                    number(measured.ratio(f"iterations/{company}/NumPy", key)),
                ]
            )
    return Table(
        "The same against floor and NumPy: milliseconds, one thread",
        ["iteration", "ms", "x floor", "NumPy / this"],
        rows,
        [f"The floor is {FLOPS:,} operations at the rate of a 1024 x 1024 float32 matrix product in the same process."],
    )
