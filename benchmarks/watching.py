"""What watching costs: rounds of watchful RSA against rounds of RSA, block by block in turns, in one process.

python -m benchmarks.watching     # MNIST softmax, d = 7850; prints the ratios of docs/watchful.md
"""

from collections.abc import Iterator
from time import perf_counter
from typing import Any

import numpy as np

from holdfast import Spec
from holdfast.engines.engine import train
from holdfast.kernels import set_threads
from holdfast.runs.auto import resolve_auto
from holdfast.runs.experiment import assemble
from holdfast.runs.plan import fill_defaults, remake_plan
from holdfast.watching import Judge, Opinion

BLOCK, BLOCKS = 50, 20
"""Rounds timed at a time, and how often each method is."""
SETTINGS: dict[str, dict[str, Any]] = {
    "nobody lies": {},
    "sign-flip by 8, who are left out": {"attack": "sign-flip", "byzantine": 8, "partition": "by-label"},
}


def main() -> None:
    set_threads(1)
    for messages in ("full", "bits"):
        for name, changes in SETTINGS.items():
            specs = [
                Spec(data="mnist", rounds=BLOCK * BLOCKS, method=f"{method}:messages={messages}", **changes)
                for method in ("rsa", "watchful-rsa")
            ]
            blocks = [_blocks(spec) for spec in specs]
            times = np.array([[next(each) for each in blocks] for _ in range(BLOCKS)])[1:]
            plain, watchful = 1e6 * np.median(times, axis=0) / BLOCK
            ratio = np.median(times[:, 1] / times[:, 0])
            print(f"{messages}, {name}: {plain:.0f} us a round, {watchful:.0f} watched: {ratio:.3f} times", flush=True)
    for m in (20, 200, 2000):
        print(f"one judgement of {m} workers, d = 7850: {1000 * _judging(m):.2f} ms", flush=True)


def _blocks(spec: Spec) -> Iterator[float]:
    """Yield the seconds of one block of rounds after the other."""
    experiment = assemble(remake_plan(resolve_auto(fill_defaults(spec))))
    state, round = experiment.program.init(experiment.problem.start()), 0
    while True:
        begun = perf_counter()
        *_, state = train(experiment.program, experiment.engine, state, range(round, round + BLOCK))
        round += BLOCK
        yield perf_counter() - begun


def _judging(m: int) -> float:
    rows = np.random.default_rng(0).normal(size=(m, 7850)).astype(np.float32)
    judge, opinion, times = Judge(every=1), Opinion.none(), []
    for round in range(9):
        begun = perf_counter()
        opinion = judge(opinion, rows, np.zeros(7850, np.float32), np.arange(1, m + 1), round)
        times.append(perf_counter() - begun)
    return float(np.median(times[3:]))


if __name__ == "__main__":
    main()
