"""The judgement again in plain NumPy, as docs/watchful.md tells it: the twin of the kernel."""

import numpy as np
from numpy.typing import NDArray

from holdfast.kernels.comparisons import Shares
from holdfast.typing import Workers
from holdfast.watching.judge import AGREED, ALIKE, MARGIN, NEAREST, Judge
from holdfast.watching.opinion import Opinion

Found = tuple[Shares, Workers, Shares, float]


def decided(judge: Judge, opinion: Opinion) -> Found:
    """Return what each worker counts for, whose voice it has, by how much it differs, and the limit."""
    numbers, shares = opinion.compared, opinion.shares
    everyone = np.arange(1, len(shares) + 1)
    others = (everyone[:, np.newaxis] != numbers) & (opinion.times > 0)
    nearest = np.sort(np.where(others, shares, np.inf).min(axis=1))
    same = others & (shares < judge.near * nearest[int(NEAREST * (len(nearest) - 1))])
    alike = 1 + same.sum(axis=1) * ((len(everyone) - 1) / max(len(numbers) - 1, 1))
    weights = 1 / alike
    voices = np.minimum(np.where(same, numbers, len(everyone)).min(axis=1), everyone)
    goes, difference, limit = split(judge, shares, weights, others, numbers - 1)
    return np.where(goes, 0.0, np.minimum(1.0, ALIKE * weights)), voices, difference, limit


def split(
    judge: Judge, shares: Shares, weights: Shares, others: NDArray[np.bool_], columns: Workers
) -> tuple[NDArray[np.bool_], Shares, float]:
    """Try every cut one after the other."""
    heard = weights[columns] * others
    order = np.argsort([-median(*row) for row in zip(shares, heard, strict=True)], kind="stable")
    best, factor, found = np.zeros(len(order), bool), 0.0, differs(shares, heard)
    for cut in range(1, (len(order) + 1) // 2):
        goes = np.isin(np.arange(len(order)), order[:cut])
        if weights[order[: cut - 1]].sum() + weights[order[cut - 1]] >= weights[order].sum() / 2:
            break
        difference = differs(shares, heard * ~goes[columns])
        reached = difference[goes].min() / limit_of(judge, difference[~goes])
        if reached > factor:
            factor = reached
            if reached >= 1:
                best, found = goes, difference
    return best, found, limit_of(judge, found[~best])


def limit_of(judge: Judge, staying: Shares) -> float:
    """Return from how much on one goes: clearly more than those who stay differ from each other."""
    ratio = judge.ratio if staying.max() <= AGREED else judge.apart
    return float(max(ratio * staying.max(), staying.max() + MARGIN))


def differs(shares: Shares, heard: Shares) -> Shares:
    """Return the mean difference of each row from those it hears."""
    return np.asarray((shares * heard).sum(axis=1) / np.maximum(heard.sum(axis=1), 1e-12))


def median(values: Shares, weights: Shares) -> float:
    """Return the least value at which half of the weight is reached."""
    order = np.argsort(values, kind="stable")
    total = np.cumsum(weights[order])
    return float(values[order][(total >= total[-1] / 2).argmax()])
