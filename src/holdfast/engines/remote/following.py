"""How workers come to hold the master's model: they are sent it, or they follow it."""

from typing import Any

from holdfast.engines import wire
from holdfast.engines.wire import Data, Kind, WireError
from holdfast.typing import Master, Tally, Vector

SNAPSHOT_EVERY = 100
"""Rounds after which workers that follow tallies are sent x0 itself, to check theirs."""


class Announcer:
    """The master's side: what is sent before a round to those who heard all rounds so far."""

    def __init__(self, follow: bool) -> None:
        self._follow = follow
        self._last: bytes | None = None

    def counted(self, tally: Tally, round: int) -> None:
        """Remember what the master was given in a round."""
        if self._follow:
            self._last = wire.tally(tally, round)

    def forget(self) -> None:
        """Have the next round begin with x0 itself, as the first one does."""
        self._last = None

    def frames(self, model: Vector, round: int) -> list[bytes]:
        """Return the tally of the round before, x0 where there is none, both where x0 is to be checked."""
        if self._last is None:
            return [wire.model(model, round)]
        return [self._last] if round % SNAPSHOT_EVERY else [self._last, wire.model(model, round)]


class Follower:
    """The worker's side: the master's own rule, applied to the same tallies, gives the same x0 bit for bit."""

    def __init__(self, master: Master[Any], dimension: int) -> None:
        self._master, self._dimension = master, dimension
        self._state: Any = None
        self._round = -1

    def hear(self, data: Data) -> None:
        """Take in what the master has sent."""
        frame = wire.decode(data, self._dimension)
        if frame.kind is Kind.TALLY:
            if frame.round != self._round:
                raise WireError(f"a tally must be of round {self._round}, whose x0 is known; got round {frame.round}")
            self._state = self._master.step(self._state, wire.tally_of(frame), frame.round)
            self._round += 1
            return
        x = wire.rows_of(frame)[0]
        if frame.round == self._round and self._state.model.tobytes() != x.tobytes():
            raise WireError(f"a snapshot must be the x0 that was followed; got another in round {frame.round}")
        self._state, self._round = self._master.init(x.copy()), frame.round

    def model(self, round: int) -> Vector:
        """Return x0 of this round."""
        if round != self._round:
            raise WireError(f"a round must begin with its x0, of round {round}; got that of round {self._round}")
        model: Vector = self._state.model
        return model
