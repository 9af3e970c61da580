"""The choice of `near` and `ratio` of watchful RSA, by validation samples of digits' training data alone.

python checks/watchful_constants.py     # about 5 minutes; prints the table of docs/watchful.md

A tenth of the training samples is held back before workers get any. The test set is not looked at.
"""

from dataclasses import replace
from itertools import product

import numpy as np

import holdfast as hf
from holdfast import Spec
from holdfast.experiments.comparison import compare
from holdfast.tuning.validation import hold_out

NEAR, RATIO, SEEDS = (0.15, 0.25, 0.4), (1.2, 1.4, 1.7), (0, 1)
PARTITIONS = ("iid", "dirichlet:alpha=0.1", "by-label")
ATTACKS = ("none", "sign-flip", "duplicate", "contrarian", "negative-sum", "noisy-duplicate", "framing")


def main() -> None:
    data = hold_out(hf.load("digits"), share=0.1, seed=0)
    base = [Spec(data=data, rounds=300, eval_every=300, scale=16.0, seed=seed) for seed in SEEDS]
    print("| near | ratio | mean | worst | honest left out where nobody lies | under attack |")
    print("|---|---|---|---|---|---|")
    for near, ratio in product(NEAR, RATIO):
        cells = [(partition, attack) for _, partition, attack in product(SEEDS, PARTITIONS, ATTACKS)]
        specs = [_spec(each, near, ratio, *cell) for each in base for cell in product(PARTITIONS, ATTACKS)]
        found = list(compare(specs, jobs=1))
        accuracies = [result.accuracy or 0.0 for result in found]
        shares = [result.honest_left_out or 0.0 for result in found]
        calm = [share for share, (_, attack) in zip(shares, cells, strict=True) if attack == "none"]
        stormy = [share for share, (_, attack) in zip(shares, cells, strict=True) if attack != "none"]
        means = f"{np.mean(accuracies):.4f} | {min(accuracies):.4f} | {np.mean(calm):.2%} | {np.mean(stormy):.2%}"
        print(f"| {near:g} | {ratio:g} | {means} |", flush=True)


def _spec(base: Spec, near: float, ratio: float, partition: str, attack: str) -> Spec:
    spec = replace(base, partition=partition, method=f"watchful-rsa:near={near:g},ratio={ratio:g}")
    return spec if attack == "none" else replace(spec, attack=attack, byzantine=8)


if __name__ == "__main__":
    main()
