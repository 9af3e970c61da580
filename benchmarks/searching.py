"""What a line search costs: one message of `alie:search=line`, asked in few coordinates and in all, in turns.

python -m benchmarks.searching     # 10 honest workers, 4 Byzantine, d = 431,080; prints the ratios of docs/attacks.md
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import perf_counter

import numpy as np

from holdfast import Spec
from holdfast.attacks import Alie, FullView, Sketch
from holdfast.kernels import set_threads
from holdfast.runs.experiment import assemble
from holdfast.runs.plan import fill_defaults, remake_plan
from holdfast.typing import Messages, Rows, Vector

HONEST, BYZANTINE, DIMENSION = 10, 4, 431_080
TIMES = 9
METHODS = ("rsa:penalty=0.02", "clip:radius=2+nnm+geometric-median", "krum", "clip:radius=2+nnm+trimmed-mean", "median")


def main() -> None:
    set_threads(1)
    for method in METHODS:
        view = _view(method)
        ways = [view, replace(view, sketch=None)]
        times = np.array([[_seconds(each) for each in ways] for _ in range(TIMES)])[1:]
        few, full = 1000 * np.median(times, axis=0)
        print(f"{method}: {few:.0f} ms in few coordinates, {full:.0f} in all: {full / few:.1f} times", flush=True)


def _view(method: str) -> FullView:
    """Return a round of normal messages, and a master that can be asked both ways."""
    workers = HONEST + BYZANTINE
    spec = Spec(data="digits", workers=workers, method=method, rate=0.1, attack="alie", byzantine=BYZANTINE)
    program = assemble(remake_plan(fill_defaults(spec))).program
    state = program.init(np.zeros(DIMENSION, np.float32))
    rows = np.random.default_rng(0).normal(size=(HONEST, DIMENSION)).astype(np.float32)
    view = FullView.of(rows, BYZANTINE)
    everyone = np.concatenate([view.honest_workers, view.workers])

    def ask(answer: Callable[..., Vector], rows: Rows, *inner: int) -> Vector:
        return answer(Messages(rows, everyone, 0), *inner)

    kind = program.sketch_kind
    return replace(
        view,
        aggregate=partial(ask, lambda messages: program.direction(state, messages)[0]),
        sketch=Sketch(kind == "columns", partial(ask, program.sketch)) if kind else None,
    )


def _seconds(view: FullView) -> float:
    begun = perf_counter()
    Alie(search="line")(view)
    return perf_counter() - begun


if __name__ == "__main__":
    main()
