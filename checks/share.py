"""Which share of the gain is left to attackers with norms beyond l1 (`SHARE_BEYOND_L1`), chosen without a test set.

python checks/share.py          # every candidate, scored on a fifth of the training data held out

A data set's score is the mean over its settings; it is printed beside its difference from that of the present share,
with the standard error of that difference over the seeds. docs/automatic.md has the record. Needs scikit-learn.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from defaults import TABLES, score, standardised
from holdfast import Spec, load, run
from holdfast.data import Dataset
from holdfast.runs import survey
from holdfast.runs.auto import resolve_auto
from holdfast.runs.plan import fill_defaults
from holdfast.studies.validation import hold_out

PRESENT = "1/4"
GRID = {"1/8": 1 / 8, "1/6": 1 / 6, "1/5": 1 / 5, PRESENT: 1 / 4, "1/3": 1 / 3, "1/2": 1 / 2, "2/3": 2 / 3}
HELD_OUT = 0.2
SEEDS = range(100, 104)
MORE = 12
"""Seeds of a table, which has few samples and runs fast."""
IID = [("iid", "none", 0), ("iid", "sign-flip", 8), ("iid", "contrarian", 8), ("iid", "same-value", 8)]
BY_LABEL = [("by-label", "none", 0), *(("by-label", attack, 8) for attack in ("sign-flip", "contrarian", "duplicate"))]
Setting = tuple[str, str, int]
Scores = NDArray[np.float64]


@cache
def given(name: str) -> Dataset:
    return standardised(name, TABLES[name]) if name in TABLES else load(name)


def reached(data: Dataset, setting: Setting, share: float, seed: int) -> float:
    """Return the score of a run by default but for the share."""
    partition, attack, q = setting
    problem = "least-squares" if data.name == "diabetes" else "softmax"
    asked = Spec(data=data, method="rsa", problem=problem, partition=partition, attack=attack, byzantine=q, seed=seed)
    with mock.patch.multiple(survey, SHARE=share, SHARE_BEYOND_L1=share):
        found = resolve_auto(fill_defaults(replace(asked, eval_every=asked.rounds)))
    return score(run(found), data)


def scores(name: str, seeds: Sequence[int]) -> Scores:
    """Return the mean over the settings, one row per seed and one column per share; print one line per setting."""
    settings = IID if name in TABLES else [*IID, *BY_LABEL]
    sets = [hold_out(given(name), HELD_OUT, seed) for seed in seeds]
    found = []
    for setting in settings:
        rows = [
            [reached(data, setting, share, seed) for share in GRID.values()]
            for data, seed in zip(sets, seeds, strict=True)
        ]
        partition, attack, q = setting
        line(f"{name}, {partition}, {attack}" + (f", q = {q}" if q else ""), np.mean(rows, axis=0))
        found.append(rows)
    return np.asarray(np.mean(found, axis=0))


def line(name: str, values: Sequence[float] | Scores) -> None:
    print(f"| {name} | {' | '.join(f'{value:.4f}' for value in values)} |", flush=True)


def table() -> None:
    print(f"| | {' | '.join(GRID)} |\n{'|---' * (len(GRID) + 1)}|", flush=True)
    present, differences, errors = [*GRID].index(PRESENT), [], []
    for name in ("digits", *TABLES):
        by_seed = scores(name, range(SEEDS.start, SEEDS.start + MORE) if name in TABLES else SEEDS)
        line(f"**{name}, mean**", by_seed.mean(axis=0))
        against = by_seed - by_seed[:, [present]]
        told(f"{name}, beside {PRESENT}", against.mean(axis=0), errors_of(against))
        if name != "diabetes":
            differences.append(against.mean(axis=0))
            errors.append(errors_of(against))
    squared = np.sum(np.square(errors), axis=0)
    told(f"**sets with classes, beside {PRESENT}**", np.mean(differences, axis=0), np.sqrt(squared) / len(errors))


def errors_of(rows: Scores) -> Scores:
    """Return the standard error of each column's mean."""
    return np.asarray(rows.std(axis=0, ddof=1) / np.sqrt(len(rows)))


def told(name: str, differences: Scores, errors: Scores) -> None:
    cells = (f"{value:+.4f} ± {error:.4f}" for value, error in zip(differences, errors, strict=True))
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    logging.getLogger("holdfast").setLevel(logging.ERROR)
    table()
