"""What RSA keeps on a network with multiples of the lambda that `auto` finds: is the rule's lambda of the right size?

python checks/network_lambda.py mnist cnn:first=8,second=16,hidden=32,halve=strides 5 6    # data, model, seeds

Steps are three times the rule's for that lambda: what most methods chose on held-back samples (docs/networks.md).
"""

import sys
from collections.abc import Sequence
from dataclasses import replace

import holdfast as hf
from holdfast.methods import Rsa
from holdfast.runs.auto import resolve_auto
from holdfast.runs.plan import fill_defaults
from holdfast.runs.spec_parts import require_number

PARTITIONS = ("iid", "dirichlet:alpha=0.5", "by-label")
ATTACKS = ("alie", "contrarian")
MULTIPLES = (0.5, 1.0, 2.0)
LONGER = 3.0


def main(data: str, model: str, seeds: Sequence[int]) -> None:
    print(f"| {data}, {model} | {' | '.join(f'lambda x {each:g}' for each in MULTIPLES)} |")
    print("|---" * (len(MULTIPLES) + 1) + "|")
    for partition in PARTITIONS:
        for attack in ATTACKS:
            ends = [[ended(data, model, partition, attack, seed, each) for seed in seeds] for each in MULTIPLES]
            cells = [" ".join(f"{accuracy:.3f}" for accuracy in row) for row in ends]
            print(f"| {partition}, {attack} | {' | '.join(cells)} |", flush=True)


def ended(data: str, model: str, partition: str, attack: str, seed: int, multiple: float) -> float:
    """Return the accuracy at the end of a run with 8 of 20 workers Byzantine."""
    about = {"data": data, "model": model, "partition": partition, "attack": attack, "byzantine": 8, "seed": seed}
    about |= {"method": "rsa", "rate": "auto", "momentum": 0.9, "schedule": "constant-then-linear", "l2": 1e-4}
    spec = fill_defaults(hf.Spec.of(about | {"rounds": 150, "eval_every": 150}))
    found = resolve_auto(spec).method
    assert isinstance(found, Rsa)
    given = resolve_auto(replace(spec, method=spec.method.with_penalty(multiple * float(found.penalty))))
    return hf.run(replace(given, rate=LONGER * require_number(given.rate))).accuracy or 0.0


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], [int(seed) for seed in sys.argv[3:]])
