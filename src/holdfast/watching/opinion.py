"""What a master remembers of messages, and of what it did about them. docs/watchful.md."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.kernels.comparisons import Shares, count_attendance
from holdfast.streams import Stream
from holdfast.typing import Workers

COMPARED = 128
"""Up to as many workers each is compared with all others; beyond, with so many of them, drawn once."""


class Account(NamedTuple):
    """What was done to each worker so far, and why: worker i has entry i - 1."""

    rounds: NDArray[np.int64]
    """In how many rounds it was present."""
    left_out: NDArray[np.int64]
    """In how many of them it was left out."""
    first: NDArray[np.int64]
    """The first round at which it was left out, -1 if none."""
    difference: NDArray[np.float64]
    """By how much it differed then from those who stayed."""
    limit: NDArray[np.float64]
    """And from how much on one went."""

    def note(self, going: NDArray[np.bool_], round: int, difference: NDArray[np.float64], limit: float) -> "Account":
        """Return the account with what was decided in a round about those who go for the first time."""
        new = going & (self.first < 0)
        if not new.any():
            return self
        first, why = np.where(new, round, self.first), np.where(new, difference, self.difference)
        return self._replace(first=first, difference=why, limit=np.where(new, limit, self.limit))


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
    difference: NDArray[np.float64]
    """By how much each differed, at the latest judgement, from those who stay."""
    limit: NDArray[np.float64]
    """And from how much on one goes."""
    account: Account

    @staticmethod
    def none() -> "Opinion":
        """Return the memory of a master that has seen nobody."""
        pairs, nobody, nothing = np.zeros((0, 0)), np.zeros(0, np.int64), np.zeros(0)
        account = Account(nobody, nobody, nobody, nothing, nothing)
        return Opinion(nobody, pairs, pairs.astype(np.int64), nothing, nobody, nothing, np.array(0.0), account)

    def after(self, workers: Workers) -> "Opinion":
        """Return the opinion after a round of these workers, with room for them, and the round on the account."""
        account = self.account
        counts = count_attendance(self.weights, workers, account.rounds, account.left_out)
        if counts is None:
            return make_room(self, workers).after(workers)
        rounds, left_out = counts
        return self._replace(account=account._replace(rounds=rounds, left_out=left_out))

    def speakers(self, workers: Workers) -> NDArray[np.bool_]:
        """Return which of these workers count in full, or speak for copies as the one of the least number."""
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
        words = Stream(0, "watch").words(strangers, 0, 1)[:, 0]
        strangers = strangers[np.argsort(words)[:room]]
    wider, longer, account = [(0, more), (0, len(strangers))], (0, more), opinion.account
    return Opinion(
        np.append(opinion.compared, np.sort(strangers)),
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
    """What was done about one worker."""

    weight: float
    """What it counts for now: 1, a part of 1 for one of several copies, 0 while it is left out."""
    difference: float
    """On what share of the coordinates it differed, on average, from those who stay, at the latest judgement."""
    limit: float
    """From what share on one goes."""
    rounds: int
    """In how many rounds it was present."""
    left_out: int
    """In how many of them it was left out."""
    first: int | None
    """The first of these rounds, counted from 1."""
    first_difference: float | None
    """By how much it differed then."""
    first_limit: float | None


def treatments(opinion: Opinion, workers: Workers) -> list[Treatment]:
    """Return what was done about these workers."""
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
    """Return in what share of their rounds these workers were left out.

    >>> one = Treatment(1.0, 0.3, 0.5, rounds=30, left_out=6, first=1, first_difference=0.6, first_limit=0.5)
    >>> share_left_out([one]), share_left_out([])
    (0.2, None)
    """
    rounds = sum(each.rounds for each in found)
    return sum(each.left_out for each in found) / rounds if rounds else None
