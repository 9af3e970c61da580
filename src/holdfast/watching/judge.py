"""The judge: a weight for each worker, by the differences of its messages from the others' over many rounds.

docs/watchful.md explains and measures it.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Meta

from holdfast.kernels import comparisons
from holdfast.typing import Rows, Sides, Vector, Workers
from holdfast.watching.opinion import Opinion, make_room
from holdfast.watching.sides import LEAST_COORDINATES, Angles, SideWords, choose_measure

JUDGEMENTS = 3
"""A worker is judged once it was compared that often."""
NEAREST = 0.6
"""The quantile, over the workers, of the distance to the nearest other that is taken for usual: copies are fewer."""
ALIKE = 2.0
"""The weight of copies together in the sum. Not 1: honest workers with like data come in pairs, and both count."""
MARGIN = 0.125
"""An excluded worker differs on an eighth of all coordinates more than any worker that stays: honest groups can differ
on a tenth."""
NEVER = 2.0
"""A margin that no worker exceeds, since no difference is larger than 1."""
AGREED = 0.35
"""Workers that stay agree if none differs from the others on more of the coordinates."""

Every = Annotated[int, Meta(ge=1)]
Near = Annotated[float, Meta(ge=0, lt=1)]
Ratio = Annotated[float, Meta(gt=1)]
"""What the options of watching must be, for every part that has them."""


@dataclass(frozen=True)
class Judge:
    """Compares messages every few rounds, weighs copies less, and excludes a minority that differs from the rest.

    Workers that differ from each other on less than `near` times the usual share are copies: one voice where others are
    judged, and no more than two workers together in the sum. A split excludes the workers with the largest median
    difference from the others: less than half of the workers, and of the voices. The exclusion threshold is `ratio`
    times the largest difference of a worker that stays, and at least an eighth of the coordinates more (`MARGIN`). The
    judge takes the split whose excluded workers exceed their threshold by the largest factor. If none does, all stay.
    Where the workers that stay do not agree (`AGREED`), `apart` stands for `ratio`: there, honest groups with other
    data differ from the rest too.
    """

    every: Every = 5
    fading: float = 0.9
    near: Near = 0.25
    ratio: Ratio = 1.4
    apart: Ratio = 1.4
    first: int = 0
    """The first round whose messages are compared: 1 where a coin decides ties, since in round 0 all stand at x0, and
    every side is a toss."""

    def __call__(
        self, opinion: Opinion, messages: Rows | Sides, neutral: Vector, workers: Workers, round: int
    ) -> Opinion:
        """Return the opinion after a round of these messages, numbers or bits."""
        due = round >= self.first and round % self.every == 0
        if due and len(workers) >= 3 and (measure := choose_measure(messages, neutral)):
            opinion = self._compare(make_room(opinion, workers), measure, workers)
            opinion = self._judge(opinion, round, len(neutral))
        return opinion.after(workers)

    def _compare(self, opinion: Opinion, measure: SideWords | Angles, workers: Workers) -> Opinion:
        """Return the opinion with this round's differences in it."""
        among = np.isin(workers, opinion.compared)
        if not among.any():
            return opinion
        found = measure.all_differences() if among.all() else measure.differences(slice(None), np.flatnonzero(among))
        pairs = workers, workers[among], opinion.compared
        shares, times = comparisons.remember(found, *pairs, 1 - self.fading, opinion.shares, opinion.times)
        return opinion._replace(shares=shares, times=times)

    def _judge(self, opinion: Opinion, round: int, dimension: int) -> Opinion:
        """Return the opinion with the weights that follow from its differences.

        In few coordinates honest groups stand opposite each other: there only copies are weighed.
        """
        margin = MARGIN if dimension >= LEAST_COORDINATES else NEVER
        constants = self.near, NEAREST, ALIKE, self.ratio, margin, AGREED, self.apart
        found = comparisons.judge(opinion.shares, opinion.times, opinion.compared, JUDGEMENTS, constants)
        if found is None:
            return opinion
        weights, voices, difference, threshold = found
        account = opinion.account.note(weights == 0, round, difference, threshold)
        return Opinion(*opinion[:3], weights, voices, difference, np.array(threshold), account)
