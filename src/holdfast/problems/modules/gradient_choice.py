"""Which way to the gradients is fastest here: a short timing, made once for a module on a machine."""

import json
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from os import cpu_count
from platform import machine, node
from statistics import median
from time import perf_counter
from typing import NamedTuple

import numpy as np

from holdfast.errors import InvalidInput
from holdfast.files import cache_folder, write_atomic
from holdfast.problems.modules.gradient_ways import WAYS
from holdfast.problems.modules.problem import CHUNK, ModuleProblem
from holdfast.problems.modules.pytorch import library
from holdfast.typing import Rows

LARGEST = 32
"""Workers in a group, at most, unless told otherwise: what a group needs in memory grows with it."""
TOLERANCE = 1e-2
"""How far from the loop's gradients another way's may be, as a share of their length. Mostly it is 1e-6, but rounding
may decide which of two nearly equal pixels a pooling layer takes."""
REPEATS = 3


class Choice(NamedTuple):
    """How gradients are computed. A run records the choice, and resumes with it."""

    way: str
    chunk: int


LOOP = Choice("loop", CHUNK)
"""What every other way is compared with."""


def choose(problem: ModuleProblem, workers: int, shared: bool, way: str | None, chunk: int | None) -> Choice:
    """Return the fastest way for this many workers, at one model for all or at one each; what is given stays.

    Ways that do not give what the loop gives, as with layers that they do not understand, are left out; one that is
    asked for is refused.
    """
    found = [each for each in _candidates(problem, workers) if way in (None, each.way)]
    if chunk is not None:
        found = list(dict.fromkeys(Choice(each.way, chunk) for each in found))
    if way is not None and len(found) == 1:
        _require_right(problem, found[0], workers, shared)
        return found[0]
    path = cache_folder() / "gradients" / f"{_key(problem, workers, shared, found)}.json"
    with suppress(OSError, ValueError, TypeError):
        kept = Choice(*json.loads(path.read_bytes()))
        if kept in found:
            return kept
    best = _fastest(problem, found, workers, shared)
    with suppress(OSError):  # then it is timed again next time
        write_atomic(path, json.dumps(best).encode())
    return best


def _candidates(problem: ModuleProblem, workers: int) -> Iterator[Choice]:
    images = any(len(shape) == 4 for shape in problem.learner.layout.shapes.values())
    chunks = dict.fromkeys([min(CHUNK, workers), min(LARGEST, workers)])
    for way in WAYS:
        if images or not way.endswith("channels-last"):
            yield from (Choice(way, chunk) for chunk in (chunks if not way.startswith("loop") else [CHUNK]))


def _key(problem: ModuleProblem, workers: int, shared: bool, choices: list[Choice]) -> str:
    about = (
        str(problem.module),
        problem.shards.features.shape[1:],
        problem.batch,
        np.dtype(problem.shards.dtype).name,
        problem.device,
        workers,
        shared,
        choices,
        (library().__version__, node(), machine(), cpu_count()),
    )
    return sha256(str(about).encode()).hexdigest()[:24]


def _fastest(problem: ModuleProblem, choices: list[Choice], workers: int, shared: bool) -> Choice:
    expected, right = _gradients(problem.using(*LOOP), workers, shared), dict[Choice, ModuleProblem]()
    for choice in choices:
        with suppress(Exception):  # whatever a way cannot do, another can
            served = problem.using(*choice)
            if _close(_gradients(served, workers, shared), expected):
                right[choice] = served
    seconds: dict[Choice, list[float]] = {choice: [] for choice in right}
    for _ in range(REPEATS):
        for choice, served in right.items():
            begun = perf_counter()
            _gradients(served, workers, shared)
            seconds[choice].append(perf_counter() - begun)
    return min(seconds, key=lambda choice: median(seconds[choice]))


def _require_right(problem: ModuleProblem, choice: Choice, workers: int, shared: bool) -> None:
    """Refuse a way that does not give what the loop gives."""
    if choice.way == "loop":
        return
    try:
        found = _gradients(problem.using(*choice), workers, shared)
    except Exception as error:
        line = next(iter(str(error).splitlines()), type(error).__name__)
        raise InvalidInput(f"gradients={choice.way} must be able to compute this model; got {line}") from None
    if not _close(found, _gradients(problem.using(*LOOP), workers, shared)):
        raise InvalidInput(f"gradients={choice.way} must give what the loop gives; got others for this model")


def _gradients(problem: ModuleProblem, workers: int, shared: bool) -> Rows:
    some, start = problem.workers[:workers], problem.start()
    given = start if shared else np.tile(start, (len(some), 1))
    return problem.oracle(some)(given, 0)


def _close(found: Rows, expected: Rows) -> bool:
    return bool(np.linalg.norm(found - expected) <= TOLERANCE * np.linalg.norm(expected))
