"""Print how long the kernels of the demonstration take to be ready, in this process and with this cache."""

import json
from dataclasses import replace

from benchmarks.timing import once
from holdfast.data import load
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.studies.arena_presets import PRESETS


def one_round(specs: list[Spec]) -> None:
    for spec in specs:
        run(replace(spec, rounds=1))


def main() -> None:
    arena = PRESETS["demo"].arena()
    run_specs = [spec for bout in arena.bouts() for spec in arena.specs(bout)]
    for name in {spec.data for spec in run_specs}:
        load(name)
    numba = once(lambda: __import__("numba"))[0]
    first, again = (once(lambda: one_round(run_specs))[0] for _ in range(2))
    print(json.dumps({"numba": numba, "kernels": first - again, "together": numba + first - again}))


if __name__ == "__main__":
    main()
