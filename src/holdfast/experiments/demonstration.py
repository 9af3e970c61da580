"""What `holdfast demo` runs: everything at once, small enough to wait for."""

from holdfast.experiments.comparison import grid
from holdfast.experiments.spec import Spec

METHODS = ("ideal-sgd", "rsa", "geometric-median", "krum", "median", "trimmed-mean", "sgd")
ATTACKS = ("none", "infinite", "negative-sum", "same-value", "sign-flip", "gaussian", "duplicate")

BASE = Spec(data="digits", byzantine=8, attack="same-value", rounds=1000, eval_every=25)
RSA = {"iid": "rsa:penalty=0.07", "by-label": "rsa:penalty=0.5"}
"""Workers that differ need a larger penalty, as in the paper's heterogeneous experiment (0.5 there too)."""


def demo_specs() -> list[Spec]:
    """Return all methods, iid and by label, without and under each attack of the paper."""
    return [
        spec
        for partition, rsa in RSA.items()
        for spec in grid(BASE, [rsa if method == "rsa" else method for method in METHODS], ATTACKS, [partition])
    ]
