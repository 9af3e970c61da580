"""What a watching master remembers: differences between workers, their weights, and how it treated them.

Field names are keys of checkpoints and records. docs/watchful.md explains them.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.kernels.comparisons import Shares, count_attendance
from holdfast.typing import Workers
from holdfast.watching.sides import draw_some

COMPARED = 128
"""Workers that all workers are compared with, at most: where there are more, these are drawn once."""


class Account(NamedTuple):
    """How the master treated each worker so far, and why: worker i has entry i - 1."""

    rounds: NDArray[np.int64]
    """In how many rounds it was present."""
    left_out: NDArray[np.int64]
    """In how many of them it was excluded."""
    first: NDArray[np.int64]
    """The first round at which it was excluded, -1 if none."""
    difference: NDArray[np.float64]
    """Its difference in that round from the workers that stayed."""
    limit: NDArray[np.float64]
    """The exclusion threshold of that round."""

    def note(
        self, excluded: NDArray[np.bool_], round: int, difference: NDArray[np.float64], threshold: float
    ) -> "Account":
        """Return the account with the reasons for workers that are excluded for the first time."""
        new = excluded & (self.first < 0)
        if not new.any():
            return self
        first, why = np.where(new, round, self.first), np.where(new, difference, self.difference)
        return self._replace(first=first, difference=why, limit=np.where(new, threshold, self.limit))


class Opinion(NamedTuple):
    """What a master remembers: worker i has row i - 1."""

    compared: Workers
    """The numbers of the workers that all workers are compared with."""
    shares: Shares
    """The difference of each worker from these, averaged over rounds with weights that fade."""
    times: NDArray[np.int64]
    """How often each pair was compared."""
    weights: NDArray[np.float64]
    """The weight of each worker: 1, a part of 1 for one of several copies, 0 if excluded."""
    voices: Workers
    """The voice of each worker: the least number among its copies and its own."""
    difference: NDArray[np.float64]
    """The difference of each worker from the workers that stay, at the latest judgement."""
    limit: NDArray[np.float64]
    """The exclusion threshold of that judgement."""
    account: Account

    @staticmethod
    def none() -> "Opinion":
        """Return the memory of a master before its first round."""
        pairs, none, empty = np.zeros((0, 0)), np.zeros(0, np.int64), np.zeros(0)
        account = Account(none, none, none, empty, empty)
        return Opinion(none, pairs, pairs.astype(np.int64), empty, none, empty, np.array(0.0), account)

    def after(self, workers: Workers) -> "Opinion":
        """Return the opinion with room for these workers, and the account with one more round."""
        account = self.account
        counts = count_attendance(self.weights, workers, account.rounds, account.left_out)
        if counts is None:
            return make_room(self, workers).after(workers)
        rounds, left_out = counts
        return self._replace(account=account._replace(rounds=rounds, left_out=left_out))

    def speakers(self, workers: Workers) -> NDArray[np.bool_]:
        """Return which of these workers count in full, or speak for their copies: the one of the least number."""
        weights = self.weights[workers - 1]
        return np.asarray((weights == 1) | ((weights > 0) & (self.voices[workers - 1] == workers)))


def make_room(opinion: Opinion, workers: Workers) -> Opinion:
    """Return the opinion with room for these workers."""
    size, room = len(opinion.weights), COMPARED - len(opinion.compared)
    more = max(int(workers.max()) - size, 0)
    if not more and (not room or len(opinion.compared) == size):
        return opinion
    strangers = np.setdiff1d(workers, opinion.compared)
    if len(strangers) > room:
        strangers = draw_some(strangers, room, "watch")
    wider, longer, account = [(0, more), (0, len(strangers))], (0, more), opinion.account
    return Opinion(
        np.append(opinion.compared, strangers),
        np.pad(opinion.shares, wider),
        np.pad(opinion.times, wider),
        np.pad(opinion.weights, longer, constant_values=1.0),
        np.append(opinion.voices, np.arange(size, size + more) + 1),
        np.pad(opinion.difference, longer),
        opinion.limit,
        Account(
            np.pad(account.rounds, longer),
            np.pad(account.left_out, longer),
            np.pad(account.first, longer, constant_values=-1),
            np.pad(account.difference, longer),
            np.pad(account.limit, longer),
        ),
    )


def opinion_in(state: Any) -> Opinion | None:
    """Return the opinion that a master's state holds, if it holds one."""
    if isinstance(state, Opinion) or not isinstance(state, tuple):
        return state if isinstance(state, Opinion) else None
    return next((found for part in state if (found := opinion_in(part)) is not None), None)


@dataclass(frozen=True)
class Treatment:
    """How the master treated one worker."""

    weight: float
    """Its weight now: 1, a part of 1 for one of several copies, 0 while it is excluded."""
    difference: float
    """Its mean difference from the workers that stay, at the latest judgement."""
    limit: float
    """The exclusion threshold of that judgement."""
    rounds: int
    """In how many rounds it was present."""
    left_out: int
    """In how many of them it was excluded."""
    first: int | None
    """The first of these rounds, counted from 1."""
    first_difference: float | None
    """Its difference in that round; `first_limit` is the threshold then."""
    first_limit: float | None


def treatments(opinion: Opinion, workers: Workers) -> list[Treatment]:
    """Return how the master treated these workers."""
    opinion = make_room(opinion, workers)
    account, limit = opinion.account, float(opinion.limit)
    return [
        Treatment(
            weight=float(opinion.weights[at]),
            difference=float(opinion.difference[at]),
            limit=limit,
            rounds=int(account.rounds[at]),
            left_out=int(account.left_out[at]),
            first=int(account.first[at]) + 1 if account.first[at] >= 0 else None,
            first_difference=float(account.difference[at]) if account.first[at] >= 0 else None,
            first_limit=float(account.limit[at]) if account.first[at] >= 0 else None,
        )
        for at in (workers - 1).tolist()
    ]


def share_left_out(found: Collection[Treatment]) -> float | None:
    """Return in what share of their rounds these workers were excluded.

    >>> one = Treatment(1.0, 0.3, 0.5, rounds=30, left_out=6, first=1, first_difference=0.6, first_limit=0.5)
    >>> share_left_out([one]), share_left_out([])
    (0.2, None)
    """
    rounds = sum(each.rounds for each in found)
    return sum(each.left_out for each in found) / rounds if rounds else None
