"""Theorem 1: how large lambda must be for all models to agree on the optimum of eq. correct."""

from math import inf

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.typing import Rows

NORMS = {"l1": 1.0, "l2": 2.0, "l-infinity": inf}
"""The norms that the paper tries, by its names."""


def dual(p: float) -> float:
    """Return b of 1/b + 1/p = 1 (Proposition 1).

    >>> dual(1), dual(2), dual(4.0), dual(inf)
    (inf, 2.0, 1.3333333333333333, 1.0)
    """
    if not p >= 1:
        raise InvalidInput(f"norm must be at least 1 (inf is allowed); got {p}")
    if p == 1:
        return inf
    return 1.0 if p == inf else p / (p - 1)


def lambda0(gradients: Rows, p: float) -> NDArray[np.float64]:
    """Return what each worker asks of lambda: |grad F_i(x*)|_b, the norm dual to lp (Theorem 1).

    `gradients` are the local gradients of the honest workers at the optimum of eq. correct, one row each. Theorem 1's
    lambda_0 is the largest entry. From there on all models of eq. tv-p's solution are that optimum.

    Below, they are not (the paper does not say so): consensus at x* needs -grad F_i(x*) in lambda d|0|_p, so
    |grad F_i(x*)|_b <= lambda for every worker. And strong convexity of the workers' losses serves only to
    make the solution unique: with convex losses and a strongly convex f0 any lambda > lambda_0 does too.

    >>> lambda0(np.array([[3.0, -4.0], [1.0, 1.0]]), p=1)
    array([4., 1.])
    >>> lambda0(np.array([[3.0, -4.0], [1.0, 1.0]]), p=inf)
    array([7., 2.])
    """
    b = dual(p)
    size = np.abs(np.asarray(gradients, dtype=np.float64))
    largest = size.max(axis=-1)
    if b == inf:
        return np.asarray(largest)
    # by the largest entry, so that no power over- or underflows
    unit = size / np.where(largest > 0, largest, 1)[..., np.newaxis]
    return np.asarray(largest * np.sum(unit**b, axis=-1) ** (1 / b))


def Delta3(gradients: Rows, p: float, penalty: float, mu: float) -> float:
    """Return a bound on |x* - [x~*]|^2, which Theorem 3 supposes to be known (eq. the3-1); 0 from lambda_0 on.

    The paper names no way to find it. Ours: the cost of eq. tv-p is strongly convex with `mu`, the least of all mu_i
    and mu_0; so the distance from any x to its minimiser is at most |g| / mu for each subgradient g at x. At
    x = [x~*] worker i has g_i = grad F_i(x~*) + lambda nu_i for any |nu_i|_b <= 1, and the master g_0 = -sum_i g_i,
    because x~* is the optimum. We take nu_i against the gradient: entry by entry for l1, along it for other norms.

    >>> Delta3(np.array([[3.0, -4.0], [1.0, 1.0]]), p=1, penalty=2.0, mu=1.0)
    10.0
    >>> Delta3(np.array([[3.0, -4.0], [1.0, 1.0]]), p=1, penalty=4.0, mu=0.0)
    0.0
    """
    rows = np.asarray(gradients, dtype=np.float64)
    if p == 1:
        left = rows - np.clip(rows, -penalty, penalty)
    else:
        asked = lambda0(rows, p)
        left = rows * np.maximum(0, 1 - penalty / np.where(asked > 0, asked, 1))[:, np.newaxis]
    squares = float(np.sum(left**2) + np.sum(left.sum(axis=0) ** 2))
    if squares == 0:
        return 0.0
    return squares / mu**2 if mu > 0 else inf
