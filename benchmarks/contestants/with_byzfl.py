"""ByzFL's rules, on arrays and on tensors."""

import sys
from collections.abc import Callable
from typing import Any
from unittest.mock import MagicMock

from benchmarks.contestants.ways import Way
from benchmarks.inputs import Inputs

# ByzFL imports torchvision for its training loop; there is no build of it for torch's CPU wheel
sys.modules.setdefault("torchvision", MagicMock(name="stub of torchvision"))

import byzfl  # noqa: E402

NEIGHBOURS = "counts n - f - 1 neighbours, not n - f - 2"
STEPS = "takes 3 steps from 0, however far that gets"


def _both(rule: Callable[[Inputs], Callable[[Any], Any]], differs: str = "") -> list[Way]:
    return [
        Way(lambda given: rule(given)(given.rows), "NumPy input", differs),
        Way(lambda given: rule(given)(given.tensor), "torch input", differs),
    ]


RULES = {
    "mean": _both(lambda given: byzfl.Average()),
    "median": _both(lambda given: byzfl.Median()),
    "trimmed mean": _both(lambda given: byzfl.TrMean(f=given.byzantine)),
    "Krum": _both(lambda given: byzfl.Krum(f=given.byzantine), NEIGHBOURS),
    "geometric median": _both(lambda given: byzfl.GeometricMedian(), STEPS),
}

MEMBERS = {
    "mean": lambda f: byzfl.Average(),
    "median": lambda f: byzfl.Median(),
    "trimmed-mean": lambda f: byzfl.TrMean(f=f),
    "meamed": lambda f: byzfl.Meamed(f=f),
    "geometric-median": lambda f: byzfl.GeometricMedian(),
    "krum": lambda f: byzfl.Krum(f=f),
    "multi-krum": lambda f: byzfl.MultiKrum(f=f),
    "minimum-diameter": lambda f: byzfl.MDA(f=f),
    "centered-clipping": lambda f: byzfl.CenteredClipping(),
    "smea": lambda f: byzfl.SMEA(f=f),
    "caf": lambda f: byzfl.CAF(f=f),
    "nnm": lambda f: byzfl.NNM(f=f),
    "bucketing": lambda f: byzfl.Bucketing(s=2),
    "clip": lambda f: byzfl.Clipping(c=100.0),
    "arc": lambda f: byzfl.ARC(f=f),
}
"""What it has of our registry, told f liars."""


def member(name: str, f: int, given: Inputs) -> list[Callable[[], Any]]:
    """Return the ways to call its member of this name."""
    if name not in MEMBERS:
        return []
    on_arrays, on_tensors = MEMBERS[name](f), MEMBERS[name](f)  # one may remember what kind it was given
    return [lambda: on_arrays(given.rows), lambda: on_tensors(given.tensor)]
