"""lambda_0 of Theorem 1 on the data of the figures, by norm: what Remark 2 speaks of."""

from pathlib import Path

from holdfast.experiments.building import build_problem
from holdfast.experiments.defaults import resolved
from holdfast.experiments.keeping import kept
from holdfast.experiments.spec import Spec
from holdfast.experiments.theorems import guarantees
from holdfast.problems import solvable
from holdfast.theory import NORMS, lambda0


def lambda0_by_norm(data: str) -> dict[str, float]:
    """Return lambda_0 in the paper's setting without attack, iid, for each norm."""
    spec = resolved(Spec(data=data, method="rsa:norm=1,penalty=0.07", rate=0.001))
    problem = solvable(build_problem(spec)[1], "lambda_0")
    gradients = problem.local_gradients(guarantees(spec).optimum, problem.workers)
    return {label: float(lambda0(gradients, p).max()) for label, p in NORMS.items()}


def kept_lambda0(path: Path, data: str, data_sha256: str) -> dict[str, float]:
    """Return the same, from a file once it was found."""
    about = {"data_sha256": data_sha256}
    return kept(
        path, about, lambda: lambda0_by_norm(data), lambda found: {label: float(found[label]) for label in NORMS}
    )
