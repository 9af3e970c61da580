"""RSA's default against the numbers that it replaced: the first tables of docs/automatic.md.

python checks/defaults.py digits        # or mnist, wine, breast-cancer: three seeds of every setting; mnist iid: those
python checks/defaults.py pooled        # wine, breast cancer and diabetes against scikit-learn on the pooled data

Needs scikit-learn; wine, breast cancer and diabetes are standardised, by the pooled training samples.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.linear_model import LogisticRegression, Ridge

from holdfast import Result, Spec, run
from holdfast.data import Dataset
from holdfast.problems import LinearProblem
from holdfast.runs.plan import fill_defaults
from holdfast.runs.workbench import SHARED

SEEDS = (0, 1, 2)
METHODS: dict[str, dict[str, Any]] = {
    "before: l1, 0.07, 0.001": {"method": "rsa:norm=1,penalty=0.07", "rate": 0.001},
    "l1, by rule": {"method": "rsa:norm=1"},
    "default: l2, by rule": {"method": "rsa"},
}
IID = [("none", 0), ("sign-flip", 4), ("sign-flip", 8), ("contrarian", 4), ("contrarian", 8), ("same-value", 8)]
BY_LABEL = [*IID[:-1], ("duplicate", 8)]
SETTINGS = {"iid": IID, "by-label": BY_LABEL}
TABLES = {"wine": load_wine, "breast-cancer": load_breast_cancer, "diabetes": load_diabetes}


def standardised(name: str, load: Callable[[], Any]) -> Dataset:
    """Return a data set of scikit-learn with features, and targets if they are no classes, of mean 0 and variance 1."""
    given = load()
    data = Dataset.split(name, given.data.astype(float), given.target)
    x, z = _scaled(data.train_features, data.test_features)
    y, t = data.train_targets, data.test_targets
    if name == "diabetes":
        y, t = _scaled(y, t)
    return Dataset(name, x, y, z, t)


def _scaled(train: np.ndarray, test: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    mean, spread = train.mean(axis=0), train.std(axis=0)
    return (train - mean) / spread, (test - mean) / spread


def score(result: Result, data: Dataset) -> float:
    """Return the accuracy, or for a regression R2; 0 if the run diverged."""
    if result.last is None:
        return 0.0
    if result.accuracy is not None:
        return result.accuracy
    x, y = data.test_features, data.test_targets
    missed = x @ result.model[:-1] + result.model[-1] - y
    return 1 - float(missed @ missed) / float(np.sum((y - y.mean()) ** 2))


def compared(data: str, *partitions: str) -> None:
    given = standardised(data, TABLES[data]) if data in TABLES else data
    print(f"| {data} | " + " | ".join(METHODS) + " | lambda | alpha |\n" + "|---" * (len(METHODS) + 3) + "|")
    for partition in partitions or (["iid"] if data in TABLES else SETTINGS):
        for attack, q in SETTINGS[partition]:
            cells = []
            for options in METHODS.values():
                spec = Spec(data=given, partition=partition, attack=attack, byzantine=q, eval_every=5000, **options)
                results = [run(replace(spec, seed=seed)) for seed in SEEDS]
                values = [result.accuracy or 0.0 for result in results]
                cells.append(f"{np.mean(values):.4f} ({min(values):.3f} to {max(values):.3f})")
            last: Any = results[0].spec
            name = f"{partition}, {attack}" + (f", q = {q}" if q else "")
            print(f"| {name} | {' | '.join(cells)} | {last.method.penalty:g} | {last.rate:g} |", flush=True)


def honest_samples(spec: Spec) -> tuple[np.ndarray, np.ndarray]:
    """Return what the honest workers of a spec hold, together."""
    problem = SHARED.build(fill_defaults(spec)).problem
    assert isinstance(problem, LinearProblem)
    parts = [problem.shards.of(worker) for worker in problem.workers if worker not in spec.byzantine_workers]
    features, targets = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return features, targets


def pooled() -> None:
    """Everything as it is by default for tables, under sign-flips of 4 of 20."""
    print("| data, q = 4 of 20 flip signs | default | scikit-learn on the honest samples |\n|---|---|---|")
    for name, load in TABLES.items():
        data = standardised(name, load)
        spec = Spec(data=data, method="rsa", problem="least-squares" if name == "diabetes" else "softmax", l2=0.0)
        specs = [replace(spec, attack="sign-flip", byzantine=4, seed=seed) for seed in SEEDS]
        best = Ridge() if name == "diabetes" else LogisticRegression(max_iter=10_000)
        ours, theirs = [], []
        for each in specs:
            ours.append(score(run(each), data))
            theirs.append(best.fit(*honest_samples(each)).score(data.test_features, data.test_targets))
        told = (" ".join(f"{value:.3f}" for value in values) for values in (ours, theirs))
        print(f"| {name}{' (R2)' if name == 'diabetes' else ''} | {' | '.join(told)} |", flush=True)


if __name__ == "__main__":
    pooled() if sys.argv[1] == "pooled" else compared(*sys.argv[1:])
