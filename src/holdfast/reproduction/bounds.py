"""The theorems' bounds next to what was measured, as `reproduce` shows them."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from holdfast.experiments.keeping import kept
from holdfast.theory.numbers import Curve, Gaps, averages, convergence, gaps


@dataclass(frozen=True)
class Theorems:
    """What was measured against what the theorems promise."""

    convergence: Curve
    averages: Curve
    gaps: Gaps

    @staticmethod
    def measure(quick: bool) -> "Theorems":
        """Run the experiments, which takes seconds; `quick` has fewer seeds and rounds."""
        if quick:
            few = range(3)
            return Theorems(
                convergence(rounds=500, seeds=few), averages(rounds=500, seeds=few), gaps(rounds=500, seeds=few)
            )
        return Theorems(convergence(), averages(), gaps())

    @staticmethod
    def of_json(found: dict[str, Any]) -> "Theorems":
        return Theorems(Curve(**found["convergence"]), Curve(**found["averages"]), Gaps(**found["gaps"]))


def kept_theorems(path: Path, quick: bool) -> Theorems:
    """Return what was measured, from a file once it was."""
    return kept(path, {"quick": quick}, lambda: asdict(Theorems.measure(quick)), Theorems.of_json)
