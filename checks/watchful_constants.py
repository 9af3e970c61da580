"""The constants of watchful RSA, one after the other, by validation samples of digits' training data alone.

python checks/watchful_constants.py     # about 10 minutes of one core; prints the table of docs/watchful.md

A tenth of the training samples is held back before workers get any. The test set is not looked at. Every attack of the
registry but `adaptive`, which takes as long as all others, 8 of 20 workers Byzantine, four partitions, two seeds.
"""

import logging
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import product
from unittest.mock import patch

import numpy as np

import holdfast as hf
from holdfast import Spec
from holdfast.attacks import REGISTRY
from holdfast.data import Dataset
from holdfast.studies.validation import hold_out
from holdfast.watching import judge

SEEDS = (0, 1)
PARTITIONS = ("iid", "dirichlet:alpha=0.5", "dirichlet:alpha=0.1", "by-label")
ATTACKS = ("none", *(name for name in REGISTRY if name != "adaptive"))
OPTIONS = {"near": (0.15, 0.4), "ratio": (1.3, 1.5), "every": (10,)}
"""What is tried instead of a default of the method; everything else stays what it is."""
CONSTANTS = {"MARGIN": (0.05, 0.1, 0.15), "ALIKE": (1.0, 3.0)}
"""And instead of a constant of the judge."""


def main() -> None:
    logging.getLogger("holdfast").setLevel(logging.ERROR)
    data = hold_out(hf.load("digits"), share=0.1, seed=0)
    head = ("changed", "mean", "worst", *PARTITIONS, "honest left out: none", "attacked")
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for name, value in _candidates():
        changed = "-" if name is None else f"{name.lower()} {value:g}"
        print(f"| {changed} | {_measured(data, name, value)} |", flush=True)


def _candidates() -> Iterator[tuple[str | None, float]]:
    yield None, 0.0
    for name, values in (OPTIONS | CONSTANTS).items():
        yield from ((name, value) for value in values)


def _measured(data: Dataset, name: str | None, value: float) -> str:
    """Return the cells of a row: the mean, the worst cell (mean of the seeds), the means by partition, and who goes."""
    method = f"watchful-rsa:{name}={value:g}" if name in OPTIONS else "watchful-rsa"
    with ExitStack() as changed:
        if name in CONSTANTS:
            changed.enter_context(patch.object(judge, name, value))
        found = [hf.run(_spec(data, method, *cell)) for cell in product(SEEDS, PARTITIONS, ATTACKS)]
    shape = len(SEEDS), len(PARTITIONS), len(ATTACKS)
    accuracy = np.reshape([result.accuracy for result in found], shape).mean(axis=0)
    left_out = np.reshape([result.honest_left_out for result in found], shape).mean(axis=0)
    means = [accuracy.mean(), accuracy.min(), *accuracy.mean(axis=1)]
    return " | ".join(
        [*(f"{mean:.4f}" for mean in means), f"{left_out[:, 0].mean():.3%}", f"{left_out[:, 1:].mean():.3%}"]
    )


def _spec(data: Dataset, method: str, seed: int, partition: str, attack: str) -> Spec:
    spec = Spec(data=data, method=method, partition=partition, seed=seed, rounds=300, eval_every=300, scale=16.0)
    return spec if attack == "none" else replace(spec, attack=attack, byzantine=8)


if __name__ == "__main__":
    main()
