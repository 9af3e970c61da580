"""lambda_0 of Theorem 1 on the data of the figures, by norm: what Remark 2 speaks of."""

from math import inf
from pathlib import Path

from holdfast.experiments.assembly import learnt
from holdfast.experiments.defaults import resolved
from holdfast.experiments.spec import Spec
from holdfast.experiments.theorems import guarantees
from holdfast.reproduction.keeping import kept
from holdfast.theory import lambda0

NORMS = {"l1": 1.0, "l2": 2.0, "l-infinity": inf}


def lambda0_by_norm(data: str) -> dict[str, float]:
    """Return lambda_0 in the paper's setting without attack, iid, for each norm."""
    spec = resolved(Spec(data=data))
    problem = learnt(spec)[1]
    gradients = problem.local_gradients(guarantees(spec).optimum, problem.shards.workers)
    return {label: float(lambda0(gradients, p).max()) for label, p in NORMS.items()}


def kept_lambda0(path: Path, data: str, data_sha256: str) -> dict[str, float]:
    """Return the same, from a file once it was found."""
    about = {"data_sha256": data_sha256}
    return kept(
        path, about, lambda: lambda0_by_norm(data), lambda found: {label: float(found[label]) for label in NORMS}
    )
