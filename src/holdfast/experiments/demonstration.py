"""What `holdfast demo` runs: everything at once, small enough to wait for."""

from holdfast.experiments.comparison import grid
from holdfast.experiments.spec import Spec

METHODS = ("ideal-sgd", "rsa", "geometric-median", "krum", "median", "trimmed-mean", "sgd")
ATTACKS = ("none", "infinite", "negative-sum", "same-value", "sign-flip", "gaussian", "duplicate")

IID = Spec(data="digits", byzantine=8, attack="same-value", rounds=1000, eval_every=25, penalty=0.07)
BY_LABEL = Spec(data="digits", byzantine=8, attack="same-value", rounds=1000, eval_every=25, penalty=0.5)
"""Workers that differ need a larger penalty, as in the paper's heterogeneous experiment (0.5 there too)."""


def demo_specs() -> list[Spec]:
    """Return all methods, iid and by label, without and under each attack of the paper."""
    return [*grid(IID, METHODS, ATTACKS, ["iid"]), *grid(BY_LABEL, METHODS, ATTACKS, ["by-label"])]
