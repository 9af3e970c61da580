"""Who is listened to, and with what weight, by the sides that messages took over many rounds. docs/watchful.md."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Meta

from holdfast.kernels import comparisons
from holdfast.typing import Rows, Sides, Vector, Workers
from holdfast.watching.opinion import Opinion, make_room
from holdfast.watching.sides import words_of

COORDINATES = 32
"""Of models with fewer, sides say too little: nobody is judged."""
JUDGEMENTS = 3
"""A worker is judged once it was compared that often."""
NEAREST = 0.6
"""The quantile, over the workers, of the distance to the nearest other that is taken for usual: copies are fewer."""
ALIKE = 2.0
"""What copies count for together in the sum. Not 1: honest workers with like data come in pairs, and both count."""
MARGIN = 0.125
"""Who goes differs on an eighth of all coordinates more than anybody who stays: honest groups can differ on a tenth."""

Every = Annotated[int, Meta(ge=1)]
Near = Annotated[float, Meta(ge=0, lt=1)]
Ratio = Annotated[float, Meta(gt=1)]
"""What the options of watching must be, for every part that has them."""


@dataclass(frozen=True)
class Judge:
    """Compares messages every few rounds and decides who is a copy of whom, and who goes.

    Workers that differ on less than `near` times the usual share from each other are copies: one voice where others are
    judged, and no more than two workers together in the sum. Of the splits of the workers by their median difference
    from the others, in which less than half of the workers and of the voices go, that one is taken in which each of
    those who go differs from those who stay by the largest factor more than the limit: `ratio` times what the oddest of
    those who stay differs, and at least an eighth of the coordinates more (`MARGIN`). Below the limit nobody goes.
    """

    every: Every = 5
    fading: float = 0.9
    near: Near = 0.25
    ratio: Ratio = 1.4
    first: int = 0
    """The first round whose messages are compared: 1 where a coin decides ties, since in round 0 all stand at x0, and
    every side is a toss."""

    def __call__(
        self, opinion: Opinion, messages: Rows | Sides, neutral: Vector, workers: Workers, round: int
    ) -> Opinion:
        """Return the opinion after a round of these messages, numbers or bits."""
        due = round >= self.first and round % self.every == 0
        if due and len(neutral) >= COORDINATES and len(workers) >= 3:
            opinion = self._judge(self._compare(make_room(opinion, workers), messages, neutral, workers), round)
        return opinion.after(workers)

    def _compare(self, opinion: Opinion, messages: Rows | Sides, neutral: Vector, workers: Workers) -> Opinion:
        """Return the opinion with this round's differences in it."""
        words, bits = words_of(messages, neutral)
        about = workers, opinion.compared, 1 - self.fading, opinion.shares, opinion.times
        shares, times = comparisons.remember(words, bits, *about)
        return opinion._replace(shares=shares, times=times)

    def _judge(self, opinion: Opinion, round: int) -> Opinion:
        """Return the opinion with what follows from its differences."""
        constants = self.near, NEAREST, ALIKE, self.ratio, MARGIN
        found = comparisons.judge(opinion.shares, opinion.times, opinion.compared, JUDGEMENTS, constants)
        if found is None:
            return opinion
        weights, voices, difference, limit = found
        account = opinion.account.note(weights == 0, round, difference, limit)
        return Opinion(*opinion[:3], weights, voices, difference, np.array(limit), account)
