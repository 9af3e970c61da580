"""Who is listened to, and with what weight, by the sides that messages took over many rounds. docs/watchful.md."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.streams import Stream
from holdfast.typing import Rows, Vector, Workers
from holdfast.watching.sides import Shares, distances, sides

COMPARED = 128
"""Up to as many workers each is compared with all others; beyond, with so many of them, drawn once."""
COORDINATES = 32
"""Of models with fewer, sides say too little: nobody is judged."""
JUDGEMENTS = 3
"""A worker is judged once it was compared that often."""
NEAREST = 0.6
"""The quantile, over the workers, of the distance to the nearest other that is taken for usual: copies are fewer."""
LEAST_SHARE = 0.01
"""Those who stay differ on no less: one coordinate in a hundred more or less makes nobody go."""


class Opinion(NamedTuple):
    """What a master remembers: worker i has row i - 1."""

    compared: Workers
    """The numbers of those whom all are compared with."""
    shares: Shares
    """On what share of the coordinates each differs from them, averaged over rounds with weights that fade."""
    times: NDArray[np.int64]
    """How often each pair was compared."""
    weights: NDArray[np.float64]
    """What each counts for: 1, a part of 1 for one of several copies, 0 for one left out."""
    voices: Workers
    """Whose voice each has: the least number among those whose copy it is and its own."""
    left_out: NDArray[np.int64]
    """At how many judgements each was left out."""

    @staticmethod
    def none() -> "Opinion":
        """Return the memory of a master that has seen nobody."""
        pairs, nobody = np.zeros((0, 0)), np.zeros(0, np.int64)
        return Opinion(nobody, pairs, pairs.astype(np.int64), np.zeros(0), nobody, nobody)

    def heard(self, workers: Workers) -> NDArray[np.bool_]:
        """Return which of these workers are neither left out nor the copy of another of a lesser number."""
        return np.asarray((self.weights[workers - 1] > 0) & (self.voices[workers - 1] == workers))


@dataclass(frozen=True)
class Judge:
    """Compares messages every few rounds and decides who is a copy of whom, and who goes.

    Workers that differ on less than `near` times the usual share from each other are one voice: together they count
    for one. Of the splits of the workers by their median difference from the others, in which less than half of the
    workers and of the voices go, that one is taken in which each of those who go differs from those who stay by the
    largest factor more than any of those who stay does. If the factor is at least `ratio`, they go, else nobody does.
    """

    every: int = 5
    fading: float = 0.9
    near: float = 0.25
    ratio: float = 1.4

    def __call__(self, opinion: Opinion, rows: Rows, neutral: Vector, workers: Workers, round: int) -> Opinion:
        """Return the opinion after a round."""
        if round % self.every or len(neutral) < COORDINATES or len(workers) < 3:
            return _grown(opinion, workers)
        opinion = self._compared(_grown(opinion, workers), rows, neutral, workers)
        known = np.flatnonzero((opinion.times >= JUDGEMENTS).sum(axis=1) >= min(len(opinion.compared) - 1, 2))
        weights, voices = np.ones(len(opinion.weights)), np.arange(1, len(opinion.weights) + 1)
        if len(known) >= 3:
            weights[known], voices[known] = self._decided(opinion, known)
        return opinion._replace(weights=weights, voices=voices, left_out=opinion.left_out + (weights == 0))

    def _compared(self, opinion: Opinion, rows: Rows, neutral: Vector, workers: Workers) -> Opinion:
        """Return the opinion with this round's differences in it."""
        words = sides(rows, neutral)
        at, place = np.nonzero(opinion.compared[:, np.newaxis] == workers)
        found = distances(words, words[place]) / (2 * rows.shape[1])
        pairs = np.ix_(workers - 1, at)
        times = opinion.times.copy()
        times[pairs] += 1
        shares = opinion.shares.copy()
        shares[pairs] += np.maximum(1 - self.fading, 1 / times[pairs]) * (found - shares[pairs])
        return opinion._replace(shares=shares, times=times)

    def _decided(self, opinion: Opinion, known: Workers) -> tuple[NDArray[np.float64], Workers]:
        """Return what the workers in the rows `known` count for, and whose voices they have."""
        among = np.isin(opinion.compared, known + 1)
        numbers = opinion.compared[among]
        shares = opinion.shares[np.ix_(known, among)]
        others = (known + 1)[:, np.newaxis] != numbers
        others &= opinion.times[np.ix_(known, among)] > 0
        usual = np.quantile(np.where(others, shares, np.inf).min(axis=1), NEAREST, method="lower")
        same = others & (shares < self.near * usual)
        # of many workers only some are compared: each of them stands for as many
        weights = 1 / (1 + same.sum(axis=1) * ((len(known) - 1) / max(len(numbers) - 1, 1)))
        goes = self._going(shares, others, weights, np.searchsorted(known + 1, numbers))
        leaders = np.where(same, numbers, len(opinion.weights) + 1).min(axis=1)
        return np.where(goes, 0.0, weights), np.minimum(leaders, known + 1)

    def _going(
        self, shares: Shares, others: NDArray[np.bool_], weights: NDArray[np.float64], rows: Workers
    ) -> NDArray[np.bool_]:
        """Return who goes; the columns of `shares` are those of the workers in `rows`."""
        heard = weights[rows] * others
        order = np.argsort(-_medians(shares, heard), kind="stable")
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        best, goes = 0.0, np.zeros(len(weights), bool)
        gone = np.cumsum(weights[order])
        for k in range(1, (len(order) + 1) // 2):
            if gone[k - 1] >= gone[-1] / 2:  # copies are many workers and one voice: neither majority goes
                break
            going = place < k
            stay = heard * ~going[rows]
            apart = (shares * stay).sum(axis=1) / np.maximum(stay.sum(axis=1), 1e-12)
            factor = apart[going].min() / max(apart[~going].max(), LEAST_SHARE)
            if factor > best:
                best, goes = factor, going
        return goes if best >= self.ratio else np.zeros(len(weights), bool)


def _medians(values: Shares, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weighted median of each row: the least value at which half of the weight is reached."""
    order = np.argsort(values, axis=1)
    total = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)
    at = (total >= total[:, -1:] / 2).argmax(axis=1)
    return np.take_along_axis(values, np.take_along_axis(order, at[:, np.newaxis], axis=1), axis=1)[:, 0]


def _grown(opinion: Opinion, workers: Workers) -> Opinion:
    """Return the opinion with room for these workers."""
    strangers = np.setdiff1d(workers, opinion.compared)
    room = COMPARED - len(opinion.compared)
    if len(strangers) > room:
        words = Stream(0, "watch").words(strangers, 0, 1)[:, 0]
        strangers = strangers[np.argsort(words)[:room]]
    more = max(int(workers.max()) - len(opinion.weights), 0)
    if not more and not len(strangers):
        return opinion
    wider = [(0, more), (0, len(strangers))]
    return Opinion(
        np.append(opinion.compared, np.sort(strangers)),
        np.pad(opinion.shares, wider),
        np.pad(opinion.times, wider),
        np.pad(opinion.weights, (0, more), constant_values=1.0),
        np.append(opinion.voices, np.arange(len(opinion.voices), len(opinion.voices) + more) + 1),
        np.pad(opinion.left_out, (0, more)),
    )


def opinion_in(state: Any) -> Opinion | None:
    """Return the opinion that a master's state holds, if it holds one."""
    if isinstance(state, Opinion) or not hasattr(state, "_fields"):
        return state if isinstance(state, Opinion) else None
    return next((found for part in state if (found := opinion_in(part)) is not None), None)
