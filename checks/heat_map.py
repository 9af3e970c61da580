"""ByzFL's heat map, cell by cell: its CNN on MNIST, ten honest workers and f others, 800 rounds.

python checks/heat_map.py three-steps upward 0 0.33       # ByzFL's own rule and search, both of its gammas
python checks/heat_map.py geometric-median line 0 0.33    # the exact median, and the search that looks on both sides
python checks/heat_map.py rsa line 0 0.33                 # steps three times the rule's of docs/automatic.md

Messages are gradients times 1/m here, m = 10 + f, so that the lengths that ByzFL has for whole gradients (a radius of
2, nu = 0.1) are divided by m. Every run is told as it ends: its best moment, and the end; last the worst of the
attacks. One seed; 2 minutes a run on a core of its own.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import holdfast as hf
from holdfast.runs.auto import resolve_auto
from holdfast.runs.plan import fill_defaults
from holdfast.runs.spec_parts import require_number
from holdfast.studies.arena_presets import PRESETS

HONEST, COUNTS, LONGER = 10, (1, 2, 3, 4), 3.0
SEARCHES = {
    "upward": PRESETS["byzfl-cnn"].attacks[1:],  # the first is its sign flip
    "line": ("inner-product:search=line", "alie:search=line"),
}
RULES = {
    "three-steps": "clip:radius={radius}+nnm+three_steps:ThreeSteps:nu={nu}",
    "geometric-median": "clip:radius={radius}+nnm+geometric-median",
    "trimmed-mean": "clip:radius={radius}+nnm+trimmed-mean",
}
Cell = tuple[float, int]
"""gamma and f."""


def main(method: str, search: str, gammas: Sequence[float]) -> None:
    asked = [spec_of(method, attack, gamma, f) for gamma in gammas for f in COUNTS for attack in SEARCHES[search]]
    found: dict[Cell, list[tuple[float, float]]] = {}

    def finished(record: Any, _: str) -> None:
        best, end = max(each.accuracy for each in record.history), record.history[-1].accuracy
        cell = float(record.spec.partition.gamma), record.spec.q
        found.setdefault(cell, []).append((best, end))
        print(f"gamma = {cell[0]:g}, f = {cell[1]}, {record.spec.attack}: {best:.3f} {end:.3f}", flush=True)

    hf.compare(asked, finished=finished)
    for gamma in gammas:
        for which, at in (("best moment", 0), ("at the end", 1)):
            worst = [min(ends[at] for ends in found[gamma, f]) for f in COUNTS]
            print(
                f"| {method}, {search}, gamma = {gamma:g} | {which} | {' | '.join(f'{each:.3f}' for each in worst)} |"
            )


def spec_of(method: str, attack: str, gamma: float, f: int) -> hf.Spec:
    m, preset = HONEST + f, PRESETS["byzfl-cnn"]
    about = {**preset.base, "data": "mnist", "model": "cnn", "workers": m, "byzantine": f, "momentum": 0.9}
    about |= {"attack": attack, "partition": f"similarity:gamma={gamma}"}
    if method == "rsa":
        found = resolve_auto(fill_defaults(hf.Spec.of(about | {"method": method, "rate": "auto"})))
        return replace(found, rate=LONGER * require_number(found.rate))
    named = RULES[method].format(radius=2 / m, nu=0.1 / m)
    return hf.Spec.of(about | {"method": named, "rate": 0.1, "schedule": "constant"})


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], [float(gamma) for gamma in sys.argv[3:]])
