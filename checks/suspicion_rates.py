"""How often `holdfast.watching.suspicion` is right: the tables of docs/workers.md. `make suspicion` writes them.

python checks/suspicion_rates.py                    # all of them, one process, about an hour on a busy machine
python checks/suspicion_rates.py digits rsa         # one of them: every attack of the registry, three partitions
python checks/suspicion_rates.py honest             # how many short runs of honest workers name somebody
"""

import logging
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from holdfast import Result, Spec, run
from holdfast.attacks import REGISTRY
from holdfast.insight.inspection import list_individuals, list_suspicions

PAGE = Path(__file__).parents[1] / "docs" / "workers.md"
BEGIN, END = "<!-- {}: written by checks/suspicion_rates.py -->\n", "<!-- end -->\n"
SEEDS = range(3)
BASE = Spec(method="rsa", rounds=1000, eval_every=100, byzantine=8, attack="infinite")
PARTITIONS = ("iid", "by-label", "dirichlet:alpha=0.1")
HEAD = ("attack", *(f"{partition}: {look}" for partition in PARTITIONS for look in ("suspect", "copy")))
TABLES = list(product(("digits", "mnist"), ("rsa", "geometric-median")))
HONEST = "honest"
HONEST_SEEDS = range(20, 50)
"""Not those that the thresholds were chosen on, which are 0 to 19."""
METHODS = ("rsa", "rsa:norm=1", "median")
EVALUATIONS = (5, 9, 12)
EVERY = (1, 10)
"""Rounds from one evaluation to the next."""


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
        for each in list_individuals(result.spec, result.history):
            if each.suspicion is not None:
                suspects.count(each.suspicion.suspected, each.byzantine)
                copies.count(each.suspicion.copied, each.byzantine)
    return str(suspects), str(copies)


def table(data: str, method: str) -> Iterator[str]:
    """Yield the lines of a table: one row per attack, two columns per partition; everything else by default."""
    yield f"{data}, {method}:\n"
    yield _line(*HEAD)
    yield _line(*("---" for _ in HEAD))
    for attack in ("none", *REGISTRY):
        byzantine = 0 if attack == "none" else BASE.byzantine
        base = replace(BASE, data=data, method=method, attack=attack, byzantine=byzantine)
        specs = (replace(base, partition=partition) for partition in PARTITIONS)
        yield _line(attack, *(cell for spec in specs for cell in accusations(spec)))


def honest_table() -> Iterator[str]:
    """Yield the lines of a table: in how many short runs on digits, all of honest workers, somebody is accused."""
    head = ("digits", *(f"{partition}: {n} evaluations" for partition in PARTITIONS for n in EVALUATIONS))
    yield _line(*head)
    yield _line(*("---" for _ in head))
    for method in METHODS:
        cells = []
        for partition in PARTITIONS:
            base = Spec(data="digits", method=method, partition=partition)
            specs = (
                replace(base, rounds=every * EVALUATIONS[-1], eval_every=every, seed=seed)
                for every, seed in product(EVERY, HONEST_SEEDS)
            )
            results = [run(spec) for spec in specs]
            named = (sum(_somebody(result, n) for result in results) for n in EVALUATIONS)
            cells += [f"{count}/{len(results)}" for count in named]
        yield _line(method, *cells)


def _somebody(result: Result, evaluations: int) -> bool:
    found = list_suspicions(result.history[:evaluations])
    return any(each is not None and (each.suspected or each.copied) for each in found)


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def write(page: Path, name: str, lines: Iterator[str]) -> None:
    """Put a table between its marks."""
    told = []
    for line in lines:
        print(line, file=sys.stderr, flush=True)
        told.append(line)
    before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN.format(name))
    _, end, after = rest.partition(END)
    assert begin, f"{page} must mark where the table {name} begins"
    assert end, f"{page} must mark where the table {name} ends"
    text = "\n".join(told)
    page.write_text(f"{before}{begin}\n{text}\n\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    logging.getLogger("holdfast").setLevel(logging.ERROR)
    wanted = sys.argv[1:]
    for data, method in TABLES:
        if wanted in ([], [data, method]):
            write(PAGE, f"{data}, {method}", table(data, method))
    if wanted in ([], [HONEST]):
        write(PAGE, HONEST, honest_table())
