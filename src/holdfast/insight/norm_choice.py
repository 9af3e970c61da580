"""Which norm to choose: a rule of thumb, since no theorem ranks norms."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from holdfast.theory import dual


def push(p: float, penalty: float, dimension: int) -> float:
    """Return the longest pull of one Byzantine worker in the Euclidean norm: lambda max |z|_2 over |z|_b <= 1.

    The maximum is d^(1/2 - 1/b) if b >= 2, which is p <= 2, and 1 otherwise.

    >>> from math import inf
    >>> push(1.0, penalty=0.5, dimension=16), push(2.0, 0.5, 16), push(inf, 0.5, 16)
    (2.0, 0.5, 0.5)
    """
    return float(penalty * dimension ** max(0.5 - 1 / dual(p), 0.0))


@dataclass(frozen=True, eq=False)
class Norm:
    """What one norm needs."""

    p: float
    penalty: float
    """lambda by rule."""
    rate: float
    """alpha by rule."""
    push: float
    """The longest step, before alpha, that one Byzantine worker can make the master take."""
    asked: NDArray[np.float64]
    """lambda_0 of every honest worker (Theorem 1)."""

    @property
    def lambda0(self) -> float:
        return float(self.asked.max())

    @property
    def agreeing(self) -> int:
        """How many honest workers ask for no more than lambda."""
        return int((self.asked <= self.penalty).sum())


def choose_norm(pushes: Mapping[float, float]) -> tuple[float, str]:
    """Return the norm to begin with, and why: the one at whose lambda a Byzantine worker's push is the shortest.

    The rule's lambda is a worker's gain over the length of its model. So this is l2 unless Byzantine workers distort
    the medians: |x|_1 <= sqrt(d) |x|_2 and |x|_inf <= |x|_2 leave neither lambda_1 sqrt(d) nor lambda_inf below
    lambda_2.
    """
    p = min(pushes, key=pushes.__getitem__)
    others = ", ".join(f"l{other:g} {length:.3g}" for other, length in pushes.items() if other != p)
    return p, (
        f"at its lambda a Byzantine worker moves the master by at most alpha * {pushes[p]:.3g} per round ({others}); "
        "a rule of thumb, since no theorem ranks norms: holdfast tune tries them"
    )
