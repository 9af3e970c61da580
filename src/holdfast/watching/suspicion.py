"""Who disagrees: what a master can tell from messages alone, not knowing who is Byzantine nor how many are.

All is told by the sides that messages take (`holdfast.watching.sides`), so that nothing here needs more than what
l1-RSA reads of a message. docs/workers.md argues and measures it.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from holdfast.kernels import differing_bits
from holdfast.kernels.comparisons import Shares, Words
from holdfast.streams import Stream
from holdfast.typing import Rows, Sides, Vector, Workers
from holdfast.watching import words_of

SUSPICION_THRESHOLD = 3.5
"""Robust standard deviations above the median at which a worker is suspected (Iglewicz and Hoaglin, 1993)."""
LEAST_SPREAD = 0.02
"""The least standard deviation assumed: up to seven coordinates in a hundred more than the median make nobody suspect,
since the data of honest workers alone explain as many (docs/workers.md has the counts)."""
LEAST_EVALUATIONS = 5
"""Nobody is judged by fewer: with a few rounds in view, chance alone makes honest workers look odd."""
LEAST_COORDINATES = 32
"""Shorter messages are not compared: on few coordinates honest workers happen to take opposite sides on most."""
MANY_EVALUATIONS = 10
"""With fewer, the mean over them is not enough: a suspect must be one at most of them alone as well."""

EXACT = 4096
"""Up to as many workers each message is compared with all others; beyond, all are compared with the same SAMPLE."""
SAMPLE = 1024
BLOCK = 2**22
"""Entries of an array that is there in parts only: 32 MB of counts."""


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

    Messages that are equal to the last bit are one voice, else a group of copies would decide who is odd. What most
    workers send is as many voices as workers.

    >>> disagreement(np.array([[1.0, 2.0], [3.0, 1.0], [2.0, -1.0]]), neutral=np.zeros(2))
    Disagreement(shares=[0.25, 0.25, 0.5], twins=[0, 0, 0])
    """
    words, bits = words_of(messages, neutral)
    n = len(words)
    if n == 1:
        return Disagreement([0.0], [0])
    sent, takes_sides = _encode(messages, words)
    alike = Counter(sent)
    twins = [alike[row] - 1 if takes else 0 for row, takes in zip(sent, takes_sides, strict=True)]
    first: dict[bytes, int] = {}
    voices = np.array([first.setdefault(sent[k], k) if 0 < twins[k] < n // 2 else k for k in range(n)])
    compared = _sample_voices(np.unique(voices))
    shares = np.concatenate(
        [
            _medians(differing_bits(words[block], words[compared]) / bits, compared, voices[block])
            for block in _blocks(n, len(compared))
        ]
    )
    return Disagreement(shares.tolist(), twins)


def _encode(messages: Rows | Sides, words: Words) -> tuple[list[bytes], list[bool]]:
    """Return each message as bytes, and whether it takes a side anywhere."""
    if isinstance(messages, Sides):  # a bit always says a side
        return [row.tobytes() for row in messages.bits], [True] * len(words)
    # honest workers with data alike may take all the same sides, but not at the same distance
    rows = np.asarray(messages) + 0.0  # there is one zero
    return [row.tobytes() for row in rows], (words.max(axis=1) > 0).tolist()


def _sample_voices(voices: Workers) -> Workers:
    """Return the rows that each is compared with: one of each voice, or so many that their median is near that."""
    if len(voices) <= EXACT:
        return voices
    draws = Stream(0, "forensics").words(voices, 0, 1)[:, 0]
    return np.sort(voices[np.argsort(draws)[:SAMPLE]])


def _medians(shares: Shares, compared: Workers, own: Workers) -> Shares:
    """Return for rows of the voices `own` the median distance to those they are compared with, their own left out."""
    others = compared != own[:, np.newaxis]
    among = ~others.all(axis=1)
    found = np.empty(len(own))
    for group in (among, ~among):
        if group.any():
            found[group] = np.median(shares[group][others[group]].reshape(group.sum(), -1), axis=1)
    return found


def suspicion(history: Sequence[Sequence[float | None]], twins: Sequence[Sequence[int | None]] = ()) -> Shares:
    """Return how far each worker's mean disagreement lies above the median voice's, in robust deviations.

    z_i = (d_i - median d) / max(1.4826 median |d - median d|, LEAST_SPREAD); above SUSPICION_THRESHOLD it is suspect.
    d_i is the mean over the evaluations at which worker i was present; without any it is nobody's suspect. Medians
    are over voices: of k workers that send the same, as `twins` tells, each counts 1 / k.

    >>> suspicion([[0.20, 0.21, 0.22, 0.22, 0.80]]).round(1).tolist()
    [-1.0, -0.5, 0.0, 0.0, 29.0]
    """
    table, voices = _table(history), _voices(history, twins)
    if np.isnan(table).any():  # workers disagree less as they learn: who was absent early must not look better for it
        table = table - np.array([_median(row, each) for row, each in zip(table, voices, strict=True)])[:, np.newaxis]
    return np.nan_to_num(_robust_scores(_means(table), _means(voices)), nan=0.0)


def find_suspects(
    history: Sequence[Sequence[float | None]], twins: Sequence[Sequence[int | None]] = ()
) -> NDArray[np.bool_]:
    """Return whose suspicion is above SUSPICION_THRESHOLD, as far as the evaluations allow to tell.

    Means over a few evaluations hardly spread, so that small differences score high. With fewer than
    MANY_EVALUATIONS a suspect must also have a median score above the threshold over the evaluations, each taken
    alone; with fewer than LEAST_EVALUATIONS nobody is one. Those at which a worker was absent do not count.
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
    """Return what each worker counts for at each evaluation; NaN where it was absent."""
    table = _table(history)
    alike = 1 + _table(twins) if twins else np.where(np.isnan(table), np.nan, 1.0)
    # as in `disagreement`: what most workers send is no copy
    return np.where(alike > (~np.isnan(table)).sum(axis=1, keepdims=True) / 2, 1.0, 1 / alike)


def _median(values: Shares, weights: Shares) -> float:
    """Return the middle of the values at which half of the weight is reached and exceeded; NaN does not count."""
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
    """Return who had a twin whenever it was present: one of two such workers repeats the other, or both a third."""
    twins = np.array(history, dtype=np.float64)
    return np.asarray((np.isnan(twins) | (twins > 0)).all(axis=0) & ~np.isnan(twins).all(axis=0))


def _blocks(rows: int, width: int) -> list[slice]:
    """Return slices of so many rows that an array of this width over them is small."""
    step = max(1, BLOCK // width)
    return [slice(start, min(start + step, rows)) for start in range(0, rows, step)]
