"""The tables of docs/watchful.md, from what `holdfast arena --preset watchful` wrote.

python checks/watchful_table.py runs/.../results.json     # with or without rsa, watchful-rsa, RULE and watch+RULE
"""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

BELOW = 0.01
"""Watchful RSA is marked where it ends more than this below RSA."""
SEEN = 0.0005
"""The least share of honest worker-rounds left out that is shown."""
Standings = dict[tuple[str, str, int], dict[str, dict[str, Any]]]
"""The cells by attack, of each method, partition and number of Byzantine workers."""


def main(paths: Iterable[str]) -> None:
    for path in paths:
        standings = read(Path(path))
        methods = {method for method, _, _ in standings}
        if {"rsa", "watchful-rsa"} <= methods:
            print("\n".join(side_by_side(standings)), end="\n\n")
        if rules := sorted(method for method in methods if f"watch+{method}" in methods):
            print("\n".join(behind_watch(standings, rules)), end="\n\n")
            print("\n".join(brought(standings, rules)), end="\n\n")


def read(path: Path) -> Standings:
    found = json.loads(path.read_text(encoding="utf-8"))["standings"]
    return {
        (each["method"], each["partition"], each["byzantine"]): {cell["attack"]: cell for cell in each["cells"]}
        for each in found
    }


def side_by_side(standings: Standings) -> Iterator[str]:
    """Yield a row per attack: RSA, then watchful RSA, in every condition."""
    places = _attacked(standings)
    yield from _head("", places)
    calm = [_pair(standings, partition, 0, "none") for partition, _ in places]
    yield f"| none | {' | '.join(calm)} |"
    for attack in standings["rsa", *places[0]]:
        yield f"| {attack} | {' | '.join(_pair(standings, *place, attack) for place in places)} |"


def behind_watch(standings: Standings, rules: list[str]) -> Iterator[str]:
    """Yield a row per rule, alone and behind `watch`: the lowest accuracy over the attacks, and under which."""
    places = _attacked(standings)
    yield from _head("", places)
    for method in (name for rule in rules for name in (rule, f"watch+{rule}")):
        yield f"| {method} | {' | '.join(_worst(standings[method, *place]) for place in places)} |"


def brought(standings: Standings, rules: list[str]) -> Iterator[str]:
    """Yield a row per rule: what `watch` brings it over all cells, and in what share honest workers are left out."""
    yield "| | on average | cells | ahead by .01 | behind by .01 | most behind | honest left out, most | nobody lies |"
    yield "|---" * 8 + "|"
    for rule in rules:
        pairs = [
            (q, alone, standings[f"watch+{rule}", partition, q][attack])
            for (method, partition, q), cells in standings.items()
            if method == rule
            for attack, alone in cells.items()
            if "final" in alone
        ]
        gains = [watched["final"] - alone["final"] for _, alone, watched in pairs]
        left_out = [(q, watched["honest_left_out"] or 0.0) for q, _, watched in pairs]
        ahead, behind = sum(gain > BELOW for gain in gains), sum(gain < -BELOW for gain in gains)
        most, calm = max(share for _, share in left_out), max(share for q, share in left_out if not q)
        counts = f"{len(gains)} | {ahead} | {behind} | {-min(gains):.3f}"
        yield f"| {rule} | {sum(gains) / len(gains):+.3f} | {counts} | {most:.1%} | {calm:.1%} |"


def _attacked(standings: Standings) -> list[tuple[str, int]]:
    return list(dict.fromkeys((partition, q) for _, partition, q in standings if q))


def _head(corner: str, places: list[tuple[str, int]]) -> Iterator[str]:
    yield f"| {corner} | {' | '.join(f'{partition}, q = {q}' for partition, q in places)} |"
    yield "|---" * (len(places) + 1) + "|"


def _pair(standings: Standings, partition: str, q: int, attack: str) -> str:
    plain, watchful = (standings[method, partition, q][attack] for method in ("rsa", "watchful-rsa"))
    below = watchful["final"] < plain["final"] - BELOW
    text = f"**{_short(watchful)}**" if below else _short(watchful)
    left_out = watchful["honest_left_out"] or 0.0
    return f"{_short(plain)} {text}" + (f" ({left_out:.1%})" if left_out >= SEEN else "")


def _worst(cells: dict[str, dict[str, Any]]) -> str:
    played = [cell for cell in cells.values() if "final" in cell]
    lowest = min(played, key=lambda cell: float(cell["final"]))
    return f"{_short(lowest)} {lowest['attack']}"


def _short(cell: dict[str, Any]) -> str:
    return f"{cell['final']:.3f}".removeprefix("0")


if __name__ == "__main__":
    main(sys.argv[1:])
