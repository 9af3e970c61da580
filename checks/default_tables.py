"""How far the default is from the best rule on tables: python checks/default_tables.py TABLE.csv ...

The numbers of docs/default.md. One seed, 20 workers, 1,000 rounds, 4 Byzantine; rules are told 4 in every row.
"""

import sys
from collections.abc import Sequence
from itertools import product

import numpy as np

from holdfast import Spec, run
from holdfast.methods import DEFAULT
from holdfast.runs.observers import SilentObserver

RULES = ("nnm+trimmed-mean", "geometric-median", "median", "trimmed-mean")
ATTACKS = ("none", "sign-flip", "gaussian", "alie", "min-max")
PARTITIONS = ("by-label", "dirichlet:alpha=0.3", "iid")
SEED = 17


def measure(table: str, partition: str, method: str, attack: str) -> float:
    spec = Spec(
        data=table, partition=partition, method=method, declared=4, seed=SEED, rounds=1000, eval_every=1000,
        attack=attack, byzantine=0 if attack == "none" else 4,
    )  # fmt: skip
    return run(spec, observer=SilentObserver()).accuracy or 0.0


def main(tables: Sequence[str]) -> None:
    print("| partition | attack | best rule | default | gap | largest gap |\n|---|---|---|---|---|---|")
    for partition, attack in product(PARTITIONS, ATTACKS):
        rivals = (*RULES, "sgd") if attack == "none" else RULES
        best = np.array([max(measure(table, partition, rule, attack) for rule in rivals) for table in tables])
        found = np.array([measure(table, partition, DEFAULT, attack) for table in tables])
        gaps = best - found
        cells = (best.mean(), found.mean(), gaps.mean(), gaps.max())
        print(f"| {partition} | {attack} | " + " | ".join(f"{cell:.3f}" for cell in cells) + " |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or sys.exit("a table or more must be given; got none"))
