"""How workers get the master's model: whole, or by following tallies; and the bytes that both directions take."""

from collections import Counter

import numpy as np
from numpy.typing import DTypeLike

from holdfast.engines import wire
from holdfast.engines.engine import Traffic
from holdfast.engines.wire import Data, Kind, WireError, message_bytes
from holdfast.methods import Program, Served
from holdfast.typing import Messages, Tally, Vector

SNAPSHOT_EVERY = 100
"""Every so many rounds, workers that follow tallies are sent x0 itself, to check theirs."""


def choose_kinds(round: int, follow: bool, begins: bool = False) -> tuple[Kind, ...]:
    """Return the kinds of frames before a round: x0; for followers the last tally, and x0 now and then.

    >>> [choose_kinds(round, follow=True) for round in (0, 1, 100)] == [
    ...     (Kind.MODEL,), (Kind.TALLY,), (Kind.TALLY, Kind.MODEL)]
    True
    """
    if not follow or begins or round == 0:
        return (Kind.MODEL,)
    return (Kind.TALLY,) if round % SNAPSHOT_EVERY else (Kind.TALLY, Kind.MODEL)


class Announcer:
    """The master's side: the frames before a round for members that took part in all rounds so far."""

    def __init__(self, follow: bool) -> None:
        self._follow = follow
        self._last: bytes | None = None

    def note(self, arrived: Messages) -> None:
        """Keep the tally that the master received in a round, if members follow tallies."""
        if self._follow:
            self._last = wire.write(Kind.TALLY, arrived.rows, arrived.round)

    def frames(self, round: int, whole: bytes) -> list[bytes]:
        """Return the frames before a round whose x0 is the frame `whole`."""
        kinds = choose_kinds(round, self._follow, begins=self._last is None)
        return [whole if kind is Kind.MODEL else self._last or b"" for kind in kinds]


class Follower:
    """The worker's side: the master's program on the same tallies gives the same x0 bit for bit."""

    def __init__(self, program: Program, dimension: int) -> None:
        self._program, self._dimension = program, dimension
        self.forget()

    def forget(self) -> None:
        """Wait for x0 itself, as before the first round."""
        self.round = -1
        """The round whose x0 is known."""
        self._model: Vector = np.empty(0)
        self._state: Served | None = None

    def take(self, data: Data) -> None:
        """Take in a frame from the master."""
        frame = wire.decode(data, self._dimension)
        if frame.kind is Kind.TALLY:
            self._follow(wire.tally_of(frame), frame.round)
            return
        x = wire.rows_of(frame)[0]
        if frame.round != self.round:
            self._model, self._state, self.round = x.copy(), None, frame.round
        elif self._model.tobytes() != x.tobytes():
            raise WireError(f"a snapshot must be the x0 that was followed; got another in round {frame.round}")

    def _follow(self, tally: Tally, round: int) -> None:
        if round != self.round:
            raise WireError(f"a tally must be of round {self.round}, whose x0 is known; got round {round}")
        state = self._program.init(self._model) if self._state is None else self._state
        # a tally names no workers, and a program that reads counts needs none
        self._state = self._program.step(state, Messages(tally, np.empty(0, np.int64), round))
        self._model, self.round = self._state.model, round + 1

    def model(self, round: int) -> Vector:
        """Return x0 of this round."""
        if round != self.round:
            raise WireError(f"a round must begin with its x0, of round {round}; got that of round {self.round}")
        return self._model


def expect_traffic(sent: Kind, dimension: int, dtype: DTypeLike, rounds: int, voters: int, follow: bool) -> Traffic:
    """Return the traffic of a worker that is alone in its process, over rounds in which no worker is late.

    Workers send frames of the kind `sent`. Workers that `follow` receive tallies of `voters` workers, others x0.
    """
    frames = Counter(kind for round in range(rounds) for kind in choose_kinds(round, follow))
    down = sum(
        n * message_bytes(kind, dimension, dtype, voters if kind is Kind.TALLY else 1) for kind, n in frames.items()
    )
    return Traffic(message_bytes(sent, dimension, dtype), down / max(rounds, 1))
