"""The command from start to end, and what compiling adds to it. Threads as a user has them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.record import Effort, Measured, Record
from benchmarks.tables import Table, number
from benchmarks.timing import once

THREADS = None
RUN = ["run", "--attack", "same-value", "--byzantine", "8", "--json"]


def measure(effort: Effort) -> Record:
    from holdfast.data import FETCHED, load

    load("mnist")  # in the cache, if it was not
    mnist = FETCHED["mnist"].folder
    record = Record()
    with TemporaryDirectory() as folder:
        cache = Path(folder, "cache")
        cache.mkdir()
        (cache / "mnist").symlink_to(mnist)
        one = [*RUN, "--rounds", "1"]
        record.numbers["starting/one round, cold"], _ = _holdfast(one, cache)
        record.numbers["starting/one round, cached"], _ = _holdfast(one, cache)
        record.numbers["starting/5000 rounds"], result = _holdfast(
            [*RUN, "--rounds", "5000", "--eval-every", "100"], cache
        )
        record.numbers["starting/5000 rounds, evaluations"] = result["evaluation_seconds"]
        record.numbers["starting/5000 rounds, rounds"] = result["seconds"] - result["evaluation_seconds"]
        record.numbers["starting/5000 rounds, accuracy"] = result["accuracy"]
    with TemporaryDirectory() as folder:
        _first_use("first_kernel", Path(folder))  # compiles it, if no one has
        for state, module in (("alone", "first_kernel"), ("cold", "first_use"), ("cached", "first_use")):
            for name, seconds in _first_use(module, Path(folder)).items():
                record.numbers[f"starting/{state}, {name}"] = seconds
    return record


def _environment(cache: Path) -> dict[str, str]:
    return os.environ | {"HOLDFAST_CACHE": str(cache)}


def _holdfast(arguments: list[str], cache: Path) -> tuple[float, dict]:
    """Return the wall clock of a command, and what it printed."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "holdfast", *arguments, "--out", str(Path(folder, "run"))]
        run = lambda: subprocess.run(command, env=_environment(cache), check=True, capture_output=True)  # noqa: E731
        seconds, done = once(run)
    return seconds, json.loads(done.stdout)


def _first_use(module: str, cache: Path) -> dict[str, float]:
    command = [sys.executable, "-m", f"benchmarks.{module}"]
    done = subprocess.run(command, env=_environment(cache), check=True, capture_output=True)
    return json.loads(done.stdout)


def tables(measured: Measured) -> list[Table]:
    if "starting/5000 rounds" not in measured.numbers:
        return []

    def seconds(name: str) -> str:
        return number(measured.typical(f"starting/{name}"))

    run = Table(
        "`holdfast run`, the paper's setting on MNIST: seconds by the wall clock, start-up included",
        ["command", "seconds", "of which rounds", "of which evaluations"],
        [
            ["one round, nothing compiled yet", seconds("one round, cold"), "", ""],
            ["one round, kernels cached", seconds("one round, cached"), "", ""],
            [
                "5000 rounds, 50 evaluations, cached",
                seconds("5000 rounds"),
                seconds("5000 rounds, rounds"),
                seconds("5000 rounds, evaluations"),
            ],
        ],
        [f"Accuracy after 5000 rounds: {measured.typical('starting/5000 rounds, accuracy'):.4f}."],
    )
    first = Table(
        "First use of all kernels that `holdfast demo` needs: seconds",
        ["", "import numba", "kernels", "together"],
        [
            [label, *(seconds(f"{state}, {name}") for name in ("numba", "kernels", "together"))]
            for label, state in (
                ("nothing compiled yet", "cold"),
                ("compiled by an earlier process", "cached"),
                ("one small kernel, compiled before: numba itself", "alone"),
            )
        ],
        ["Kernels: what the first of two equal passes over the demonstration's runs, one round each, takes longer."],
    )
    return [run, first]
