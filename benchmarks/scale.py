"""`python -m benchmarks.scale`: rounds a second and bytes, the simulation against Ray, bits against models.

It needs Ray (`make test-ray` installs it). Data are random, since only their shape matters here; a round is the
master's broadcast, all workers' steps, their messages, and the master's step. Evaluations are not counted.
"""

import argparse
import json
from contextlib import closing
from dataclasses import replace
from itertools import pairwise, product
from math import exp, log
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

import numpy as np

from benchmarks.tables import Table, number
from benchmarks.versions import load, machine
from holdfast import Spec
from holdfast.engines import InProcess, Ray
from holdfast.engines.ray import Cluster
from holdfast.methods import Rsa
from holdfast.runs.composition import estimate_traffic
from holdfast.runs.experiment import assemble
from holdfast.runs.plan import fill_defaults, remake_plan

WORKERS = (20, 200, 2000, 20000)
WIDTHS = {7850: 784, 1_000_000: 99_999}
"""Features for a model of ten classes of this dimension."""
ENGINES = ("simulated", "ray")
MESSAGES = ("full", "bits")
SAMPLES = 3
"""Of a worker."""
MEMORY = 6e9
"""Bytes that the workers' models may take in all their copies; beyond, a size is left out."""


class Cell(NamedTuple):
    """What one setting was measured to take."""

    workers: int
    dimension: int
    engine: str
    messages: str
    seconds: float
    """Of a typical round."""
    up: float
    """Bytes of one worker's message."""
    down: float
    """Bytes that one worker is sent in a round."""
    crossed_up: float
    """Bytes a round that went from the shards' processes to the master's, all together."""
    crossed_down: float


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--shards", type=int, default=2)
    parser.add_argument("--budget", type=float, default=4.0, metavar="SECONDS", help="for each setting (default 4)")
    parser.add_argument("--json", type=Path, default=Path(__file__).with_name("results.scale.json"))
    arguments = parser.parse_args()
    before = load()
    cells: list[Cell] = []
    with TemporaryDirectory() as folder, closing(Cluster(arguments.shards)):
        for dimension, workers in product(WIDTHS, WORKERS):
            if 4 * workers * dimension * 5 > MEMORY:
                continue
            spec = _spec(Path(folder), workers, dimension)
            for engine, messages in product(ENGINES, MESSAGES):
                where = Ray(shards=arguments.shards) if engine == "ray" else InProcess()
                asked = replace(spec, engine=where, method=Rsa(norm=1.0, penalty=0.07, messages=messages))
                cells.append(_measured(asked, engine, messages, dimension, arguments.budget))
                print(cells[-1], flush=True)
    print(f"{machine()}; load {before} before, {load()} after; {arguments.shards} shards")
    for table in (_speeds(cells), _bytes(cells), _growth(cells)):
        print(table.markdown())
    arguments.json.write_text(json.dumps([cell._asdict() for cell in cells], indent=1) + "\n")


def _spec(folder: Path, workers: int, dimension: int) -> Spec:
    path = folder / f"{workers}-{dimension}.npz"
    generator, n = np.random.default_rng(0), SAMPLES * workers
    if not path.exists():
        x = generator.integers(0, 256, (n, WIDTHS[dimension]), np.uint8)
        np.savez(path, x_train=x, y_train=np.arange(n) % 10, x_test=x[:10], y_test=np.arange(10))
    return Spec(data=str(path), method="rsa", workers=workers, rate=0.001)


def _measured(spec: Spec, engine_name: str, messages: str, dimension: int, budget: float) -> Cell:
    experiment = assemble(remake_plan(fill_defaults(spec)))
    program, engine = experiment.program, experiment.engine
    with closing(engine):
        engine.start()
        state, times, begun = program.init(experiment.problem.start()), [], perf_counter()
        while len(times) < 4 or perf_counter() - begun < budget:
            start, round = perf_counter(), len(times)
            state = program.step(state, engine.exchange(state, round))
            times.append(perf_counter() - start)
        crossed = [getattr(engine, name, 0) / len(times) for name in ("crossed_up", "crossed_down")]
    frames = estimate_traffic(spec, program, state.model, 5000, engine.voters)
    return Cell(spec.workers, dimension, engine_name, messages, median(times[1:]), *frames, *crossed)


def _seconds(cells: list[Cell], *key: object) -> float | None:
    return next((cell.seconds for cell in cells if cell[:4] == key), None)


def _sizes(cells: list[Cell]) -> list[tuple[int, int]]:
    return list(dict.fromkeys((cell.workers, cell.dimension) for cell in cells))


def _speeds(cells: list[Cell]) -> Table:
    ways = list(product(ENGINES, MESSAGES))
    rows = []
    for workers, dimension in _sizes(cells):
        times = [_seconds(cells, workers, dimension, *way) for way in ways]
        rows.append([f"{workers:,} x {dimension:,}", *(number(None if t is None else 1 / t) for t in times)])
    return Table("Rounds a second", ["workers x d", *(f"{engine}, {messages}" for engine, messages in ways)], rows)


def _bytes(cells: list[Cell]) -> Table:
    rows = []
    for workers, dimension in _sizes(cells):
        full, bits = (next(c for c in cells if c[:4] == (workers, dimension, "ray", messages)) for messages in MESSAGES)
        rows.append([
            f"{workers:,} x {dimension:,}",
            *(f"{value:,.0f}" for value in (full.up, bits.up, full.down, bits.down, full.crossed_up, bits.crossed_up)),
        ])  # fmt: skip
    header = ["workers x d", "up, full", "up, bits", "down, full", "down, bits", "crossed up, full", "crossed up, bits"]
    return Table("Bytes of a worker in a round, and of all shards together", header, rows)


def _growth(cells: list[Cell]) -> Table:
    """The exponent of the time in the number of workers, over the last three, and from how many on Ray is faster."""
    rows = []
    for dimension, messages in product(WIDTHS, MESSAGES):
        some = {
            engine: [c for c in cells if (c.dimension, c.engine, c.messages) == (dimension, engine, messages)]
            for engine in ENGINES
        }
        exponents = [number(_exponent(some[engine][-3:])) for engine in ENGINES]
        rows.append([f"{dimension:,}, {messages}", *exponents, _crossing(*some.values())])
    return Table("Time of a round ~ workers^a", ["d", "a, simulated", "a, ray", "ray is faster from"], rows)


def _exponent(cells: list[Cell]) -> float | None:
    if len(cells) < 2:
        return None
    return float(np.polyfit([log(c.workers) for c in cells], [log(c.seconds) for c in cells], 1)[0])


def _crossing(simulated: list[Cell], ray: list[Cell]) -> str:
    """Interpolate where the ratio of times passes 1, both axes logarithmic."""
    ratios = [(log(s.workers), log(r.seconds / s.seconds)) for s, r in zip(simulated, ray, strict=True)]
    if not ratios:
        return "-"
    if ratios[0][1] <= 0:
        return f"{simulated[0].workers} workers or fewer"
    for (m, above), (n, below) in pairwise(ratios):
        if below <= 0:
            return f"{exp(m + (n - m) * above / (above - below)):.2g} workers"
    return f"more than {simulated[-1].workers:,} workers"


if __name__ == "__main__":
    main()
