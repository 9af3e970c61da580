"""What a master that judges workers did about them: docs/watchful.md."""

from collections.abc import Collection
from dataclasses import dataclass

from holdfast.typing import Workers
from holdfast.watching import Opinion, grown


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
    opinion = grown(opinion, workers)
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
