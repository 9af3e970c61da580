"""How often `holdfast.experiments.forensics` is right: the tables of docs/workers.md. `make suspicion` writes them.

Every attack of the registry under three partitions, for RSA and a rule on gradients; one process, some minutes.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from holdfast import Spec, run
from holdfast.attacks import REGISTRY
from holdfast.experiments.individuals import individuals

PAGE = Path(__file__).parents[1] / "docs" / "workers.md"
BEGIN, END = "<!-- written by checks/suspicion_rates.py -->\n", "<!-- end -->\n"
SEEDS = range(3)
BASE = Spec(rounds=1000, eval_every=100, byzantine=8, attack="infinite")
PENALTY = {"iid": 0.07, "by-label": 0.5, "dirichlet:alpha=0.1": 0.5}
HEAD = ("attack", *(f"{partition}: {look}" for partition in PENALTY for look in ("suspect", "copy")))


@dataclass
class Tally:
    """How many of the Byzantine workers, and of the honest ones, were accused."""

    true: int = 0
    byzantine: int = 0
    false: int = 0
    honest: int = 0

    def count(self, accused: bool, byzantine: bool) -> None:
        self.true += accused and byzantine
        self.byzantine += byzantine
        self.false += accused and not byzantine
        self.honest += not byzantine

    def __str__(self) -> str:
        found = f"{self.true}/{self.byzantine}, " if self.byzantine else ""
        return f"{found}{self.false}/{self.honest}"


def accusations(spec: Spec) -> tuple[str, str]:
    """Run the spec once a seed and return whom disagreement and twins accused."""
    suspects, copies = Tally(), Tally()
    for seed in SEEDS:
        result = run(replace(spec, seed=seed))
        for each in individuals(result.spec, result.history):
            if each.suspicion is not None:
                suspects.count(each.suspicion.suspected, each.byzantine)
                copies.count(each.suspicion.copied, each.byzantine)
    return str(suspects), str(copies)


def table(data: str, method: str) -> Iterator[str]:
    """Yield the lines of a table: one row per attack, two columns per partition."""
    yield f"{data}, {method}:\n"
    yield _line(*HEAD)
    yield _line(*("---" for _ in HEAD))
    for attack in ("none", *REGISTRY):
        byzantine = 0 if attack == "none" else BASE.byzantine
        base = replace(BASE, data=data, attack=attack, byzantine=byzantine)
        specs = (
            replace(base, partition=partition, method=f"rsa:norm=1,penalty={penalty}" if method == "rsa" else method)
            for partition, penalty in PENALTY.items()
        )
        yield _line(attack, *(cell for spec in specs for cell in accusations(spec)))
    yield ""


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def tables() -> str:
    lines = []
    for data, method in product(("digits", "mnist"), ("rsa", "geometric-median")):
        for line in table(data, method):
            print(line, file=sys.stderr, flush=True)
            lines.append(line)
    return "\n".join(lines)


def write(page: Path, text: str) -> None:
    """Put the tables between their marks."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    assert begin, f"{page} must mark where the tables begin"
    assert end, f"{page} must mark where the tables end"
    page.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    write(PAGE, tables())
