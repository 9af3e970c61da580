"""What `holdfast demo` runs: the setting that tells methods apart, small enough to wait for."""

from holdfast.experiments.comparison import grid
from holdfast.experiments.spec import Spec

METHODS = ("rsa", "geometric-median", "krum", "median", "trimmed-mean", "sgd")
ATTACKS = ("none", "infinite", "negative-sum", "same-value", "sign-flip", "gaussian", "duplicate")


def demo_specs() -> list[Spec]:
    """Return the methods that the paper compares, without and under each attack, where workers hold different digits.

    Rules are told that 8 may be Byzantine also where nobody is: they could not know.
    """
    base = Spec(data="digits", byzantine=8, declared=8, rounds=1000, eval_every=25)
    return grid(base, METHODS, ATTACKS, ["by-label"])
