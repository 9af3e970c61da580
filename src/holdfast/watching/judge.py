"""Who is listened to, and with what weight, by the sides that messages took over many rounds. docs/watchful.md."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.typing import Rows, Vector, Workers
from holdfast.watching.opinion import Opinion, grown
from holdfast.watching.sides import Shares, distances, sides

COORDINATES = 32
"""Of models with fewer, sides say too little: nobody is judged."""
JUDGEMENTS = 3
"""A worker is judged once it was compared that often."""
NEAREST = 0.6
"""The quantile, over the workers, of the distance to the nearest other that is taken for usual: copies are fewer."""
LEAST_SHARE = 0.01
"""Those who stay differ on no less: one coordinate in a hundred more or less makes nobody go."""


class Split(NamedTuple):
    """Who goes, by how much each differs from those who stay, and from how much on one goes."""

    goes: NDArray[np.bool_]
    difference: NDArray[np.float64]
    limit: float


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
        opinion = grown(opinion, workers)
        if round % self.every == 0 and len(neutral) >= COORDINATES and len(workers) >= 3:
            opinion = self._judged(self._compared(opinion, rows, neutral, workers), round)
        return opinion._replace(account=opinion.account.after(opinion.weights, workers))

    def _judged(self, opinion: Opinion, round: int) -> Opinion:
        """Return the opinion with what follows from its differences."""
        known = np.flatnonzero((opinion.times >= JUDGEMENTS).sum(axis=1) >= min(len(opinion.compared) - 1, 2))
        if len(known) < 3:
            return opinion
        n = len(opinion.weights)
        weights, voices, difference, goes = np.ones(n), np.arange(1, n + 1), np.zeros(n), np.zeros(n, bool)
        weights[known], voices[known], split = self._decided(opinion, known)
        difference[known], goes[known] = split.difference, split.goes
        account = opinion.account.noting(goes, round, difference, split.limit)
        limit = np.array(split.limit)
        return opinion._replace(weights=weights, voices=voices, difference=difference, limit=limit, account=account)

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

    def _decided(self, opinion: Opinion, known: Workers) -> tuple[NDArray[np.float64], Workers, Split]:
        """Return what the workers in the rows `known` count for, whose voices they have, and who of them goes."""
        among = np.isin(opinion.compared, known + 1)
        numbers = opinion.compared[among]
        shares = opinion.shares[np.ix_(known, among)]
        others = (known + 1)[:, np.newaxis] != numbers
        others &= opinion.times[np.ix_(known, among)] > 0
        nearest = np.sort(np.where(others, shares, np.inf).min(axis=1))
        same = others & (shares < self.near * nearest[int(NEAREST * (len(nearest) - 1))])
        # of many workers only some are compared: each of them stands for as many
        weights = 1 / (1 + same.sum(axis=1) * ((len(known) - 1) / max(len(numbers) - 1, 1)))
        split = self._split(shares, weights, others, np.searchsorted(known + 1, numbers))
        leaders = np.where(same, numbers, len(opinion.weights) + 1).min(axis=1)
        return np.where(split.goes, 0.0, weights), np.minimum(leaders, known + 1), split

    def _split(self, shares: Shares, weights: NDArray[np.float64], others: NDArray[np.bool_], rows: Workers) -> Split:
        """Return who goes; the columns of `shares` are those of the workers in `rows`."""
        heard = weights[rows] * others
        order = np.argsort(-_medians(shares, heard), kind="stable")
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        gone = np.cumsum(weights[order])
        cuts = np.arange((len(order) + 1) // 2)  # how many go; none, to begin with
        # copies are many workers and one voice: neither majority goes
        cuts = cuts[np.append(0.0, gone[: len(cuts) - 1]) < gone[-1] / 2]
        columns = np.argsort(place[rows])
        first = np.searchsorted(place[rows][columns], cuts)  # of those who stay
        total = _from_each_on(heard[:, columns])[:, first]
        difference = _from_each_on((shares * heard)[:, columns])[:, first] / np.maximum(total, 1e-12)
        going = place[:, np.newaxis] < cuts
        least = np.where(going, difference, np.inf).min(axis=0)
        most = np.maximum(np.where(going, 0.0, difference).max(axis=0), LEAST_SHARE)
        best = 1 + int((least[1:] / most[1:]).argmax()) if len(cuts) > 1 else 0
        if least[best] < self.ratio * most[best]:
            best = 0
        return Split(going[:, best], difference[:, best], self.ratio * float(most[best]))


def _from_each_on(values: Shares) -> Shares:
    """Return the sums of each row from every column on, and 0 behind the last."""
    sums = np.zeros((len(values), values.shape[1] + 1))
    sums[:, :-1] = np.cumsum(values[:, ::-1], axis=1)[:, ::-1]
    return sums


def _medians(values: Shares, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weighted median of each row: the least value at which half of the weight is reached."""
    order = np.argsort(values, axis=1)
    total = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)
    at = (total >= total[:, -1:] / 2).argmax(axis=1)
    return np.take_along_axis(values, np.take_along_axis(order, at[:, np.newaxis], axis=1), axis=1)[:, 0]
