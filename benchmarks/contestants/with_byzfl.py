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
