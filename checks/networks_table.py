"""The tables of docs/networks.md, from what `holdfast arena --preset networks` wrote.

python checks/networks_table.py FOLDER/results.json ...   # what each method keeps, then tables for every task
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

Standing = dict[str, Any]
"""A method in one condition: its worst cell and all others."""


def main(paths: Iterable[str]) -> None:
    standings = [each for path in paths for each in json.loads(Path(path).read_text(encoding="utf-8"))["standings"]]
    tasks = {_task(each): [other for other in standings if _task(other) == _task(each)] for each in standings}
    print("\n".join([*_head("share kept", "all", *tasks), *_shares(standings, tasks)]), end="\n\n")
    for task, of in tasks.items():
        print("\n".join([f"## {task}", "", *tables(of)]), end="\n\n")


def _task(standing: Standing) -> str:
    return f"{standing['data']}, {standing['model']}"


def _shares(standings: Sequence[Standing], tasks: Mapping[str, Sequence[Standing]]) -> Iterator[str]:
    for method in _ranked(standings):
        yield _row(method, *(f"{_kept(each, method):.0%}" for each in (standings, *tasks.values())))


def _ranked(standings: Sequence[Standing]) -> list[str]:
    return sorted({each["method"] for each in standings}, key=lambda method: -_kept(standings, method))


def tables(standings: Sequence[Standing]) -> Iterator[str]:
    """Yield the worst cases of all conditions, then every attack where most workers are Byzantine."""
    attacked = list(dict.fromkeys((each["partition"], each["byzantine"]) for each in standings if each["byzantine"]))
    methods = _ranked(standings)
    places = {(each["method"], each["partition"], each["byzantine"]): each for each in standings}
    yield from _head("worst case", "share kept", *(f"{partition}, {q}" for partition, q in attacked))
    for method in methods:
        worst = [places[method, *place] for place in attacked]
        yield _row(
            method, f"{_kept(standings, method):.0%}", *(f"{_short(each['score'])} {each['worst']}" for each in worst)
        )
    most = max(q for _, q in attacked)
    for partition in dict.fromkeys(partition for partition, _ in attacked):
        attacks = [cell["attack"] for cell in places[methods[0], partition, most]["cells"]]
        yield ""
        yield from _head(f"{partition}, q = {most}", "nobody lies", *attacks, "half of an interval", "honest left out")
        for method in methods:
            cells = [*places[method, partition, 0]["cells"], *places[method, partition, most]["cells"]]
            ends = [cell.get("interval") or (0.0, 0.0) for cell in cells]
            half = max(((high - low) / 2 for low, high in ends), default=0.0)
            left_out = max((cell.get("honest_left_out") or 0.0 for cell in cells), default=0.0)
            yield _row(method, *(_short(cell.get("final")) for cell in cells), _short(half), f"{left_out:.1%}")


def _kept(standings: Sequence[Standing], method: str) -> float:
    """Return the mean over the attacked conditions of the least share kept."""
    shares: list[float] = [
        min(cell["kept"] for cell in each["cells"] if "kept" in cell)
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
