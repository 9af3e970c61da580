"""Some of the workers in a process of their own: the far end of every transport."""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from holdfast.engines import wire
from holdfast.engines.adversary import Adversary
from holdfast.engines.remote.following import Follower
from holdfast.engines.wire import Data, Kind, WireError
from holdfast.engines.worker_group import Participation, WorkerGroup
from holdfast.errors import InvalidInput
from holdfast.methods import Program
from holdfast.states import Arrays, arrays_of, fill_state, map_state
from holdfast.typing import Messages, Oracle, Request, Rows, Sides, Tally, Vector, Workers

STATE = "state."
"""Prefix of the workers' states in the checkpoint of a station."""


@dataclass(frozen=True)
class Agreement:
    """What the master's process and every station must agree on."""

    program: Program
    adversary: Adversary
    participation: Participation
    rows: Kind = Kind.MODEL
    """The kind of rows: MODEL or GRADIENT."""

    @property
    def follows(self) -> bool:
        """Whether the master reads tallies, so that stations can follow its model.

        A master that reads the bits of single workers may weigh them differently. No count then gives its model, so
        stations are sent x0 itself.
        """
        return self.program.counts

    @property
    def due(self) -> Kind:
        """The kind of frame with which a station answers a round.

        Colluding workers see every honest answer, in the master's process: then stations send rows.
        """
        if self.adversary.colludes or not self.program.sends_bits:
            return self.rows
        return Kind.TALLY if self.follows else Kind.SIDES


class Station:
    """A group of workers that answers requests: bytes in, bytes out.

    The answer to a round is a frame: the group's rows, its bits, or their tally. Byzantine workers with a local attack
    attack here. All other answers are packets, errors too.
    """

    def __init__(self, agreement: Agreement, oracle: Oracle, model: Vector, workers: Workers) -> None:
        self._agreement, self._adversary = agreement, agreement.adversary
        self._group = WorkerGroup(agreement.program.worker, oracle, model, workers, self._adversary.idle)
        self._follower = Follower(agreement.program, len(model))
        self._honest = np.intersect1d(self._adversary.honest, workers, assume_unique=True)
        self._handlers: dict[str, Callable[[Arrays], bytes]] = {
            "play": self._play,
            "replay": self._replay,
            "state": self._state,
            "load": self._load,
            "total": self._total,
            "squares": self._squares,
            "who": lambda arrays: wire.pack("process", number=os.getpid()),
        }

    def handle(self, request: Data) -> bytes:
        """Return the answer to a request. An error is an answer, too: its kind and one line."""
        try:
            packet = wire.unpack(request)
            if packet.kind not in self._handlers:
                raise WireError(f"a request must be one of {', '.join(self._handlers)}; got {packet.kind!r}")
            return self._handlers[packet.kind](packet.arrays)
        except Exception as error:
            return wire.pack_error(error)

    def warm_up(self, model: Vector) -> None:
        """Play a round and forget it, so that the first round does not wait for code to load."""
        before = self._group.state
        with suppress(InvalidInput):  # the first round reports it
            self._messages(self._request(model, 0, self._group.workers))
        self._group.state = before

    def save(self) -> bytes:
        """Return all that a new station with the same workers needs to resume from here."""
        known = {"x0": self._follower.model(self._follower.round)} if self._follower.round >= 0 else {}
        state = {f"{STATE}{name}": array for name, array in arrays_of(self._group.state).items()}
        return wire.pack("saved", round=self._follower.round + 1, **known, **state)

    def restore(self, checkpoint: Data) -> None:
        """Resume from the checkpoint of another station."""
        arrays = wire.unpack(checkpoint).arrays
        state = {name.removeprefix(STATE): array for name, array in arrays.items() if name.startswith(STATE)}
        self._load(state)
        if "x0" in arrays:
            self._follower.take(wire.model(arrays["x0"], int(arrays["round"]) - 1))

    def _play(self, arrays: Arrays) -> bytes:
        """Take in the frames of a round, play the round, and answer with a frame if it asks a worker here."""
        round = int(arrays["round"])
        for place in range(len(arrays) - 1):
            self._follower.take(arrays[f"frame{place}"])
        model, asked = self._follower.model(round), self._select_asked(round)
        if not len(asked):
            return wire.pack("nobody")
        messages = self._messages(self._request(model, round, asked))
        return wire.write(self._agreement.due, messages, round)

    def _request(self, model: Vector, round: int, asked: Workers) -> Request:
        return Request(model, asked, round, self._agreement.participation.seed)

    def _messages(self, request: Request) -> Rows | Sides | Tally:
        """Return what crosses: messages, or the answers themselves if workers collude at the master's."""
        model, workers, round, seed = request
        answers = Messages(self._group.answer(request), workers, round, seed, model)
        if self._adversary.colludes:
            return answers.rows
        return self._adversary.cross(self._agreement.program, answers).rows

    def _replay(self, arrays: Arrays) -> bytes:
        """Play rounds again from their x0, for the states after them."""
        for frame in arrays.values():
            self._follower.take(frame)
            round = self._follower.round
            asked = self._select_asked(round)
            if len(asked):
                self._group.answer(self._request(self._follower.model(round), round, asked))
        return wire.pack("done")

    def _select_asked(self, round: int) -> Workers:
        asked = self._agreement.participation.select_workers(round)
        return np.intersect1d(asked, self._group.workers, assume_unique=True)

    def _state(self, arrays: Arrays) -> bytes:
        return wire.pack("state", **arrays_of(self._group.state))

    def _load(self, arrays: Arrays) -> bytes:
        """Resume from these states; if there are none, from the first states."""
        first = self._group.init_state()
        self._group.state = map_state(np.array, fill_state(first, arrays)) if arrays else first
        self._follower.forget()
        return wire.pack("done")

    def _total(self, arrays: Arrays) -> bytes:
        """Answer with the sum of the honest workers' models, added one after another to the sum so far."""
        total = self._group.total(arrays["model"], self._honest, arrays.get("so_far"))
        return wire.pack("sum") if total is None else wire.pack("sum", sum=total)

    def _squares(self, arrays: Arrays) -> bytes:
        """Answer with the honest workers' squared distances to a point."""
        return wire.pack("squares", squares=self._group.squares(arrays["model"], self._honest, arrays["point"]))
