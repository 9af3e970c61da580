"""RSA as an estimator beside the median, on iris: the table of docs/using-a-model.md.

python checks/estimator.py
"""

import logging
from typing import Any

import numpy as np
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score

import holdfast as hf

SEEDS = (20, 21, 22, 23, 24)
"""Not those, 10 to 12, by which l2 = 0 became the default of the estimators."""
BYZANTINE = (0, 4)


def accuracy(method: str, byzantine: int, l2: float) -> float:
    """Return the mean over seeds and three folds: 12 workers of 8 samples, 500 rounds, sign flips."""
    samples, classes = load_iris(return_X_y=True)
    options: dict[str, Any] = {"method": method, "byzantine": byzantine, "l2": l2, "workers": 12, "rounds": 500}
    asked = (hf.RobustClassifier(random_state=seed, **options) for seed in SEEDS)
    return float(np.mean([cross_val_score(each, samples, classes, cv=3).mean() for each in asked]))


if __name__ == "__main__":
    logging.getLogger("holdfast").setLevel(logging.ERROR)
    print("| | " + " | ".join(f"q = {q}" for q in BYZANTINE) + " |\n|---|---|---|")
    for method in ("rsa", "median"):
        for l2 in (0.0, 0.01):
            cells = (f"{accuracy(method, q, l2):.3f}" for q in BYZANTINE)
            print(f"| {method}, l2 = {l2:g} | {' | '.join(cells)} |", flush=True)
