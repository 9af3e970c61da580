"""The tables of docs/networks.md, from what `holdfast arena --preset networks` wrote.

python checks/networks_table.py runs/.../results.json     # one set of tables for each data set with each model
"""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

Standing = dict[str, Any]
"""A method in one condition: its worst cell and all others."""


def main(paths: Iterable[str]) -> None:
    for path in paths:
        standings = json.loads(Path(path).read_text(encoding="utf-8"))["standings"]
        for task, of in groupby(standings, lambda each: (each["data"], each["model"])):
            print("\n".join([f"## {', '.join(task)}", "", *tables(list(of))]), end="\n\n")


def tables(standings: Sequence[Standing]) -> Iterator[str]:
    """Yield the worst cases of all conditions, then every attack where most workers are Byzantine."""
    attacked = list(dict.fromkeys((each["partition"], each["byzantine"]) for each in standings if each["byzantine"]))
    methods = sorted({each["method"] for each in standings}, key=lambda method: -_kept(standings, method))
    places = {(each["method"], each["partition"], each["byzantine"]): each for each in standings}
    yield from _head("worst case", "share kept", *(f"{partition}, {q}" for partition, q in attacked))
    for method in methods:
        worst = [_short(places[method, *place]["score"]) for place in attacked]
        yield _row(method, f"{_kept(standings, method):.0%}", *worst)
    most = max(q for _, q in attacked)
    for partition in dict.fromkeys(partition for partition, _ in attacked):
        attacks = [cell["attack"] for cell in places[methods[0], partition, most]["cells"]]
        yield ""
        yield from _head(f"{partition}, q = {most}", "nobody lies", *attacks, "half of an interval", "honest left out")
        for method in methods:
            cells = [*places[method, partition, 0]["cells"], *places[method, partition, most]["cells"]]
            half = max((cell.get("interval") or 0.0 for cell in cells), default=0.0)
            left_out = max((cell.get("honest_left_out") or 0.0 for cell in cells), default=0.0)
            yield _row(method, *(_short(cell.get("final")) for cell in cells), _short(half), f"{left_out:.1%}")


def _kept(standings: Sequence[Standing], method: str) -> float:
    """Return the mean over the attacked conditions of the worst case as a share of what is possible."""
    shares: list[float] = [
        min(cell["final"] / (cell["ceiling"] or 1.0) for cell in each["cells"] if "final" in cell)
        for each in standings
        if each["method"] == method and each["byzantine"]
    ]
    return sum(shares) / len(shares)


def _head(*names: str) -> Iterator[str]:
    yield _row(*names)
    yield "|---" * len(names) + "|"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _short(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}".removeprefix("0")


if __name__ == "__main__":
    main(sys.argv[1:])
