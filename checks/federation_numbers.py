"""How the numbers in the templates of `holdfast federation init` were chosen: on samples held back from training.

    .venv-flower/bin/python checks/federation_numbers.py [FRAMEWORK]

Of each node's samples every fifth is held back and nobody learns from it; candidates are compared on these, mean over
seeds of the lower of two accuracies: without an attack, and with one of four nodes flipping signs. The test samples
are looked at once, with the numbers that were chosen.
"""

import runpy
import sys
import tempfile
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from holdfast.federation.app_template import FRAMEWORKS, write_app
from holdfast.federation.federated_training import Task
from holdfast.federation.tasks import Loader, linear_task, simulate, torch_task
from holdfast.methods.names import method_text
from holdfast.runs.spec import Spec

SEEDS, EACH = range(3), 5


class Grid(NamedTuple):
    """The candidates of one template."""

    penalties: tuple[float, ...]
    steps: tuple[int, ...]
    rates: tuple[float, ...]


GRIDS = {
    "numpy": Grid((0.3, 1.0, 3.0, 10.0), (5, 10), (0.0001, 0.0003, 0.001, 0.003)),
    "torch": Grid((0.015, 0.03, 0.06), (10,), (3.0, 5.0, 8.0)),
}


def held_back(samples: Loader) -> Loader:
    """Return what gives nodes four of five samples of theirs, and the server the fifth of all."""

    def of(worker: int | None, workers: int) -> tuple[np.ndarray, np.ndarray]:
        if worker is not None:
            features, targets = samples(worker, workers)
            kept = np.arange(len(targets)) % EACH > 0
            return features[kept], targets[kept]
        parts = [samples(each, workers) for each in range(1, workers + 1)]
        features, targets = (np.concatenate([part[k][::EACH] for part in parts]) for k in (0, 1))
        return features, targets

    return of


def accuracy(spec: Spec, task: Task) -> float:
    """Return the lower accuracy, honest or attacked, mean over seeds."""
    found = []
    for seed in SEEDS:
        seeded = replace(spec, seed=seed)
        both = [simulate(seeded, task), simulate(seeded, task, "sign-flip", 1)]
        found.append(min(result.accuracy or 0.0 for result in both))
    return float(np.mean(found))


def chosen(framework: str) -> None:
    """Print the best candidates of a template, and what the first of them, and the template, do on the test samples."""
    with tempfile.TemporaryDirectory() as folder:
        write_app(Path(folder), 1, framework)
        app: dict[str, Any] = runpy.run_path(str(Path(folder) / "robust_app" / "task.py"))
    kept = held_back(app["samples"])
    if framework == "numpy":
        problem, outputs = app["MODEL"]
        task = linear_task(problem, outputs, kept)
    else:
        task = torch_task(app["module"], app["CLASSES"], kept)
    candidates = [
        replace(app["SPEC"], method=f"rsa:penalty={penalty},local_steps={steps}", rate=rate)
        for penalty, steps, rate in product(*GRIDS[framework])
    ]
    ranked = sorted(((accuracy(each, task), place) for place, each in enumerate(candidates)), reverse=True)
    for value, place in ranked[:5]:
        method, rate = method_text(candidates[place].method), candidates[place].rate
        print(f"{framework}: {method}, rate {rate:g}: {value:.3f} held back")
    for name, spec in (("chosen", candidates[ranked[0][1]]), ("template", app["SPEC"])):
        print(f"{framework}, {name}: {accuracy(spec, task):.3f} held back, {accuracy(spec, app['task']):.3f} test")


if __name__ == "__main__":
    for framework in sys.argv[1:] or FRAMEWORKS:
        chosen(framework)
