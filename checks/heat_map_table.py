"""ByzFL's heat map beside ours, from what `holdfast arena --preset byzfl-cnn` wrote.

python checks/heat_map_table.py FOLDER/results.json ...    # the worst attack, at the end and at each run's best moment
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from holdfast.data import PARTITIONS

PUBLISHED = {
    (0.0, "trimmed-mean"): [0.87, 0.61, 0.26, 0.21],
    (0.0, "geometric-median"): [0.87, 0.56, 0.26, 0.27],
    (0.33, "geometric-median"): [0.98, 0.96, 0.94, 0.94],
}
"""By gamma and rule behind clipping and NNM, for 1 to 4 Byzantine workers: their best moments."""
Standing = dict[str, Any]


def main(paths: Iterable[str]) -> None:
    read = [json.loads(Path(path).read_text(encoding="utf-8"))["standings"] for path in paths]
    standings = [each for found in read for each in found if each["byzantine"]]
    for partition in dict.fromkeys(each["partition"] for each in standings):
        print("\n".join(table(partition, [each for each in standings if each["partition"] == partition])), end="\n\n")


def table(partition: str, standings: list[Standing]) -> Iterator[str]:
    """Yield for every method the worst of the attacks, three times: published, at the best moment, at the end."""
    counts = sorted({each["byzantine"] for each in standings})
    gamma = getattr(PARTITIONS.make(partition), "gamma", 1.0)
    yield f"| {partition} | | {' | '.join(f'f = {count}' for count in counts)} |"
    yield "|---" * (len(counts) + 2) + "|"
    for method in dict.fromkeys(each["method"] for each in standings):
        found = {each["byzantine"]: each for each in standings if each["method"] == method}
        if theirs := PUBLISHED.get((gamma, method.rpartition("+")[2])):
            yield _row(method, "ByzFL, best moment", [f"{theirs[count - 1]:.2f}" for count in counts])
        yield _row(method, "best moment", [_worst(found.get(count), lambda cell: cell["best"]) for count in counts])
        yield _row(method, "at the end", [_worst(found.get(count), lambda cell: cell["final"]) for count in counts])


def _worst(standing: Standing | None, value: Callable[[Any], float]) -> str:
    """Return the least value of all attacks, and which it was."""
    if standing is None:
        return "-"
    cell = min((cell for cell in standing["cells"] if "final" in cell), key=value)
    return f"{value(cell):.3f} {cell['attack']}"


def _row(method: str, which: str, values: list[str]) -> str:
    return f"| {' | '.join([method, which, *values])} |"


if __name__ == "__main__":
    main(sys.argv[1:])
