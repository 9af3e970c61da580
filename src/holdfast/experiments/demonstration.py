"""What `holdfast demo` runs: everything at once, small enough to wait for."""

from holdfast.experiments.comparison import grid
from holdfast.experiments.spec import Spec

RIVALS = ("geometric-median", "krum", "median", "trimmed-mean", "sgd")
ATTACKS = ("none", "infinite", "negative-sum", "same-value", "sign-flip", "gaussian", "duplicate")


def demo_specs() -> list[Spec]:
    """Return the methods that the paper compares, iid and by label, without and under each attack; all by default."""
    base = Spec(data="digits", byzantine=8, rounds=1000, eval_every=25)
    return grid(base, ["ideal-sgd", "rsa", *RIVALS], ATTACKS, ["iid", "by-label"])
