"""One member as the master sees it."""

from collections.abc import Mapping

import numpy as np

from holdfast.engines import wire
from holdfast.states import Arrays
from holdfast.typing import Workers


class Member:
    """Some workers behind a transport, and what a new member in their place would have to do to be where they are."""

    def __init__(self, number: int, workers: Workers, computing: int) -> None:
        self.number, self.workers = number, workers
        self.computing = computing
        """How many of the workers have a state."""
        self.late = False
        """Whether an answer is under way that nobody waits for any more."""
        self.behind = True
        """Whether it may have missed what the others were sent, so that it must be sent x0 itself."""
        self.losses = 0
        """How often it was lost since its state was kept."""
        self.faulty = False
        """Whether anything ever went wrong with it."""
        self._kept: Arrays = {}
        self._rounds: list[int] = []

    def __str__(self) -> str:
        first, last = self.workers[0], self.workers[-1]
        return f"worker {first}" if len(self.workers) == 1 else f"workers {first} to {last}"

    def asked(self, round: int) -> None:
        """Remember that it was sent this round, with all that it needs for it."""
        self._rounds.append(round)
        self.behind = False

    def owes(self, round: int) -> bool:
        """Return whether its answer to this round is still under way."""
        return self.late and self._rounds[-1:] == [round]

    def undo(self, round: int) -> None:
        """Forget that it was sent this round."""
        self._rounds = [past for past in self._rounds if past != round]

    def keep(self, state: Arrays) -> None:
        """Keep a state: the rounds before need not be played again."""
        self._kept, self._rounds, self.losses = state, [], 0

    def restoring(self, log: Mapping[int, bytes], until: int) -> list[bytes]:
        """Return the requests that bring it to where it was before round `until`."""
        past = {str(round): log[round] for round in self._rounds if round < until}
        return [wire.pack("load", **self._kept), wire.pack("replay", **past)]


def divided(workers: Workers, members: int) -> list[Workers]:
    """Return the workers of each member: neighbours, as evenly as they can be divided, and nobody without any.

    >>> [part.tolist() for part in divided(np.arange(1, 6), members=2)]
    [[1, 2, 3], [4, 5]]
    """
    return np.array_split(workers, min(members, len(workers)))
