"""How often the rule of `holdfast.forensics` is right: the table of docs/workers.md. `make suspicion` writes it there.

Every attack of the registry, iid and by label, RSA and a rule on gradients; one process, a few minutes.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from holdfast import Spec, run
from holdfast.attacks import REGISTRY
from holdfast.experiments.individuals import Apart, individuals

PAGE = Path(__file__).parents[1] / "docs" / "workers.md"
BEGIN, END = "<!-- written by checks/suspicion_rates.py -->\n", "<!-- end -->\n"
SEEDS = range(3)
BASE = Spec(rounds=1000, eval_every=100, byzantine=8, attack="infinite")
PENALTY = {"iid": 0.07, "by-label": 0.5}
ATTACKS = ("none", *REGISTRY)
HEAD = (
    "data",
    "method",
    "partition",
    "attack",
    "suspect: true",
    "false",
    "copies: true",
    "false",
    "either: true",
    "false",
)
LOOKS: tuple[Callable[[Apart], bool], ...] = (
    lambda apart: apart.suspected,
    lambda apart: apart.copied,
    lambda apart: apart.suspected or apart.copied,
)


@dataclass
class Tally:
    """How many of those who lie, and of those who do not, were accused."""

    accused: int = 0
    all: int = 0

    def count(self, accused: bool) -> None:
        self.accused += accused
        self.all += 1

    def __str__(self) -> str:
        return f"{self.accused}/{self.all}" if self.all else "-"


def cells(spec: Spec) -> list[str]:
    """Run the spec once a seed and return true and false accusations by each look."""
    tallies = [(Tally(), Tally()) for _ in LOOKS]
    for seed in SEEDS:
        result = run(replace(spec, seed=seed))
        for each in individuals(result.spec, result.history):
            for look, (true, false) in zip(LOOKS, tallies, strict=True):
                if each.apart is not None:
                    (true if each.lies else false).count(look(each.apart))
    return [str(tally) for pair in tallies for tally in pair]


def specs() -> Iterator[Spec]:
    """Yield a spec for each line of the table."""
    for data, method, partition, attack in product(("digits", "mnist"), ("rsa", "geometric-median"), PENALTY, ATTACKS):
        spec = replace(BASE, data=data, method=method, partition=partition, penalty=PENALTY[partition], attack=attack)
        yield spec if attack != "none" else replace(spec, attack="none", byzantine=0)


def table() -> str:
    lines = [HEAD, ("---",) * len(HEAD)]
    for spec in specs():
        lines.append((spec.data, spec.method, spec.partition, spec.attack, *cells(spec)))
        print(*lines[-1], sep="  ", file=sys.stderr, flush=True)
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def write(page: Path, text: str) -> None:
    """Put the table between its marks."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    write(PAGE, table())
