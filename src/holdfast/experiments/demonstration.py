"""What `holdfast demo` runs: everything at once, small enough to wait for."""

from holdfast.experiments.comparison import grid
from holdfast.experiments.spec import Spec

RIVALS = ("geometric-median", "krum", "median", "trimmed-mean", "sgd")
ATTACKS = ("none", "infinite", "negative-sum", "same-value", "sign-flip", "gaussian", "duplicate")
PENALTY = {"iid": 0.07, "by-label": 0.5}
"""Workers that differ need a larger penalty, as in the paper's heterogeneous experiment (0.5 there too)."""


def demo_specs() -> list[Spec]:
    """Return the methods that the paper compares, iid and by label, without and under each attack."""
    base = Spec(data="digits", byzantine=8, rounds=1000, eval_every=25)
    return [
        spec
        for partition, weight in PENALTY.items()
        for spec in grid(base, ["ideal-sgd", f"rsa:penalty={weight}", *RIVALS], ATTACKS, [partition])
    ]
