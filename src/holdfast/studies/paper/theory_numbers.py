"""The theorems' bounds next to what was measured, as `reproduce` shows them."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from holdfast.insight.theorems import find_guarantees
from holdfast.problems import solvable
from holdfast.runs.plan import fill_defaults
from holdfast.runs.spec import Spec
from holdfast.runs.workbench import SHARED
from holdfast.studies.store import remember
from holdfast.theory import NORMS, lambda0
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


def find_theorems(path: Path, quick: bool) -> Theorems:
    """Measure what the theorems bound, or read it from the file of an earlier measurement."""
    return remember(path, {"quick": quick}, lambda: asdict(Theorems.measure(quick)), Theorems.of_json)


def compute_lambda0(data: str) -> dict[str, float]:
    """Return lambda_0 in the paper's setting without attack, iid, for each norm."""
    spec = fill_defaults(Spec(data=data, method="rsa:norm=1,penalty=0.07", rate=0.001))
    problem = solvable(SHARED.build(spec).problem, "lambda_0")
    gradients = problem.local_gradients(find_guarantees(spec).optimum, problem.workers)
    return {label: float(lambda0(gradients, p).max()) for label, p in NORMS.items()}


def find_lambda0(path: Path, data: str, data_sha256: str) -> dict[str, float]:
    """Return the same, from the file of an earlier computation if there is one."""
    about = {"data_sha256": data_sha256}
    return remember(
        path, about, lambda: compute_lambda0(data), lambda found: {label: float(found[label]) for label in NORMS}
    )
