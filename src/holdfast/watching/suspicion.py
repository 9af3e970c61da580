"""Scores of suspicion: how much more a worker disagrees than the median worker, over the evaluations of a run.

The scores come from messages alone, by the differences of `holdfast.watching.sides`. Neither the number of Byzantine
workers nor anything beyond what l1-RSA reads of a message is needed. docs/workers.md argues and measures them.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from holdfast.kernels.comparisons import Shares, Words
from holdfast.typing import Rows, Sides, Vector, Workers
from holdfast.watching.sides import SideWords, draw_some

SUSPICION_THRESHOLD = 3.5
"""Robust standard deviations above the median at which a worker is suspected (Iglewicz and Hoaglin, 1993)."""
LEAST_SPREAD = 0.02
"""The least standard deviation assumed: no worker is suspected for seven coordinates in a hundred more than the median,
since the data of honest workers alone explain as many (docs/workers.md has the counts)."""
LEAST_EVALUATIONS = 5
"""Suspicion needs as many: in fewer, chance alone makes honest workers look odd."""
MANY_EVALUATIONS = 10
"""With fewer, the mean over them is not enough: a suspect must also exceed the threshold at most of them alone."""

EXACT = 4096
"""Up to as many workers each message is compared with all others; beyond, all are compared with the same SAMPLE."""
SAMPLE = 1024
BLOCK = 2**22
"""Differences that are held in memory at a time: 32 MB."""


@dataclass(frozen=True)
class Disagreement:
    """How much the messages of one round disagree, one entry per worker."""

    shares: list[float]
    """Median over the other voices (a sample of them if they are many) of the share of coordinates on which the two
    take different sides."""
    twins: list[int]
    """How many others send the same message to the last bit; 0 for a message that takes no side anywhere."""


def disagreement(messages: Rows | Sides, neutral: Vector) -> Disagreement:
    """Compare every message with every other voice.

    Messages that are equal to the last bit are one voice, else a group of copies would decide which worker is odd. A
    message that most workers send is as many voices as workers.

    >>> disagreement(np.array([[1.0, 2.0], [3.0, 1.0], [2.0, -1.0]]), neutral=np.zeros(2))
    Disagreement(shares=[0.25, 0.25, 0.5], twins=[0, 0, 0])
    """
    sides = SideWords.of(messages, neutral)
    n = len(sides.words)
    if n == 1:
        return Disagreement([0.0], [0])
    sent, takes_sides = _encode(messages, sides.words)
    alike = Counter(sent)
    twins = [alike[row] - 1 if takes else 0 for row, takes in zip(sent, takes_sides, strict=True)]
    first: dict[bytes, int] = {}
    voices = np.array([first.setdefault(sent[k], k) if 0 < twins[k] < n // 2 else k for k in range(n)])
    compared = np.unique(voices)
    if len(compared) > EXACT:
        compared = draw_some(compared, SAMPLE, "forensics")
    shares = np.concatenate(
        [_medians(sides.differences(block, compared), compared, voices[block]) for block in _blocks(n, len(compared))]
    )
    return Disagreement(shares.tolist(), twins)


def _encode(messages: Rows | Sides, words: Words) -> tuple[list[bytes], list[bool]]:
    """Return each message as bytes, and whether it takes a side anywhere."""
    if isinstance(messages, Sides):  # a bit always says a side
        return [row.tobytes() for row in messages.bits], [True] * len(words)
    # honest workers with like data may take all the same sides, not at the same distance
    rows = np.asarray(messages) + 0.0  # there is one zero
    return [row.tobytes() for row in rows], (words.max(axis=1) > 0).tolist()


def _medians(shares: Shares, compared: Workers, own: Workers) -> Shares:
    """Return for rows of the voices `own` the median difference from the voices compared, except their own."""
    others = compared != own[:, np.newaxis]
    among = ~others.all(axis=1)
    found = np.empty(len(own))
    for group in (among, ~among):
        if group.any():
            found[group] = np.median(shares[group][others[group]].reshape(group.sum(), -1), axis=1)
    return found


def suspicion(history: Sequence[Sequence[float | None]], twins: Sequence[Sequence[int | None]] = ()) -> Shares:
    """Return how far each worker's mean disagreement lies above the median voice's, in robust deviations.

        z_i = (d_i - median d) / max(1.4826 median |d - median d|, LEAST_SPREAD)

    d_i is the mean over the evaluations at which worker i was present; a worker that was never present scores 0.
    Medians are over voices: of k workers that send the same message, by `twins`, each counts 1 / k.

    >>> suspicion([[0.20, 0.21, 0.22, 0.22, 0.80]]).round(1).tolist()
    [-1.0, -0.5, 0.0, 0.0, 29.0]
    """
    table, voices = _table(history), _voices(history, twins)
    if np.isnan(table).any():  # workers disagree less as they learn: early absence must not improve a score
        table = table - np.array([_median(row, each) for row, each in zip(table, voices, strict=True)])[:, np.newaxis]
    return np.nan_to_num(_robust_scores(_means(table), _means(voices)), nan=0.0)


def find_suspects(
    history: Sequence[Sequence[float | None]], twins: Sequence[Sequence[int | None]] = ()
) -> NDArray[np.bool_]:
    """Return which workers have a suspicion above SUSPICION_THRESHOLD, as far as the evaluations allow to tell.

    Means over a few evaluations hardly spread, so that small differences score high. With fewer than
    MANY_EVALUATIONS a suspect's scores at single evaluations must also have a median above the threshold. With fewer
    than LEAST_EVALUATIONS no worker is suspected. Evaluations at which a worker was absent do not count for it.
    """
    table, voices = _table(history), _voices(history, twins)
    seen = (~np.isnan(table)).sum(axis=0)
    found = (suspicion(history, twins) > SUSPICION_THRESHOLD) & (seen >= LEAST_EVALUATIONS)
    alone = np.array([_robust_scores(row, each) for row, each in zip(table, voices, strict=True)])
    for worker in np.flatnonzero(found & (seen < MANY_EVALUATIONS)):
        found[worker] = np.nanmedian(alone[:, worker]) > SUSPICION_THRESHOLD
    return np.asarray(found)


def _robust_scores(shares: Shares, voices: Shares) -> Shares:
    """Return how far values lie above their median, in robust standard deviations."""
    above = shares - _median(shares, voices)
    # 1.4826 makes it the standard deviation of normal values
    return above / max(1.4826 * _median(np.abs(above), voices), LEAST_SPREAD)


def _voices(history: Sequence[Sequence[float | None]], twins: Sequence[Sequence[int | None]]) -> Shares:
    """Return each worker's weight at each evaluation; NaN where it was absent."""
    table = _table(history)
    alike = 1 + _table(twins) if twins else np.where(np.isnan(table), np.nan, 1.0)
    # as in `disagreement`: a message that most workers send is no copy
    return np.where(alike > (~np.isnan(table)).sum(axis=1, keepdims=True) / 2, 1.0, 1 / alike)


def _median(values: Shares, weights: Shares) -> float:
    """Return the mean of the values at which half of the weight is reached and exceeded; NaN does not count."""
    order = np.argsort(values)[: len(values) - int(np.isnan(values).sum())]
    total = np.cumsum(weights[order]) / weights[order].sum()
    low, high = np.searchsorted(total, 0.5 - 1e-9), np.searchsorted(total, 0.5 + 1e-9)
    return float(values[order[[low, high]]].mean())


def mean_disagreement(history: Sequence[Sequence[float | None]]) -> Shares:
    """Return each worker's mean over the evaluations at which it was present; NaN where there is none."""
    return _means(_table(history))


def _table(history: Sequence[Sequence[float | None]]) -> Shares:
    """Return one row per evaluation; None becomes NaN."""
    return np.array(history, dtype=np.float64)


def _means(table: Shares) -> Shares:
    present = ~np.isnan(table)
    totals = np.where(present, table, 0.0).sum(axis=0)
    means: Shares = np.divide(totals, present.sum(axis=0), out=np.full(len(totals), np.nan), where=present.any(axis=0))
    return means


def find_copies(history: Sequence[Sequence[int | None]]) -> NDArray[np.bool_]:
    """Return which workers had a twin whenever they were present: of two twins, one at least copies."""
    twins = np.array(history, dtype=np.float64)
    return np.asarray((np.isnan(twins) | (twins > 0)).all(axis=0) & ~np.isnan(twins).all(axis=0))


def _blocks(rows: int, width: int) -> list[slice]:
    """Return slices of the rows, each of at most BLOCK differences from `width` others."""
    step = max(1, BLOCK // width)
    return [slice(start, min(start + step, rows)) for start in range(0, rows, step)]
