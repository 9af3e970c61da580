"""Workers behind a transport: the master's side of every engine that uses several processes."""

from collections.abc import Callable, Sequence

import numpy as np

from holdfast.engines import wire
from holdfast.engines.engine import Spread, Traffic
from holdfast.engines.remote.following import Announcer
from holdfast.engines.remote.inbox import Inbox
from holdfast.engines.remote.member import Member
from holdfast.engines.remote.member_states import States, measure_spread
from holdfast.engines.remote.roster import Roster
from holdfast.engines.remote.station import Agreement
from holdfast.engines.transport import Transport
from holdfast.engines.wire import Data, WireError
from holdfast.errors import TooFew
from holdfast.methods import Served
from holdfast.states import Arrays
from holdfast.typing import Messages, State, Vector, Workers

LOG_BYTES = 64_000_000
"""Bytes of past x0 that are held for members that get lost; beyond them, all states are read anew."""


class Remote:
    """Members with some workers each. The trajectory is the simulation's, bit for bit, if no worker is late.

    `parts` are the workers of each member of the transport, neighbours in order. A round waits for `timeout` seconds
    (None: for all members) and needs `least` workers. The workers of an unusable answer are absent from that round. An
    error that a member reports ends the run if members are `trusted`; else it is an unusable answer, and so is one that
    is not finite. `autonomous` members start by themselves and keep their own states: they are asked for rounds only.
    """

    def __init__(
        self,
        agreement: Agreement,
        model: Vector,
        transport: Transport,
        parts: Sequence[Workers],
        *,
        timeout: float | None = None,
        least: int = 1,
        trusted: bool = True,
        autonomous: bool = False,
    ) -> None:
        self._agreement, self.adversary = agreement, agreement.adversary
        self._announcer = Announcer(agreement.follows)
        self._least, self._trusted, self._autonomous = max(least, 1), trusted, autonomous
        computing = [len(np.setdiff1d(part, self.adversary.idle)) for part in parts]
        self._members = [Member(i, *about) for i, about in enumerate(zip(parts, computing, strict=True))]
        self._roster = Roster(transport, self._members, timeout, trusted, autonomous)
        self._states = States(self._roster, agreement.program.worker.init(model[np.newaxis]))
        self._started = False
        self.workers, self.honest = agreement.participation.workers, self.adversary.honest
        self.voters = agreement.participation.size
        self.absent = self.crossed_up = self._asked = 0
        """How many answers were late or unusable; the bytes of frames that came from members."""
        self.unfit = 0
        """Unusable answers in the last round, except errors that members reported."""

    @property
    def faults(self) -> Sequence[str]:
        return self._roster.faults

    @property
    def crossed_down(self) -> int:
        """The bytes of frames that went to members."""
        return self._roster.crossed_down

    @property
    def traffic(self) -> Traffic:
        """Bytes of frames that crossed, per worker asked and round; the workers of a member share frames."""
        return Traffic(self.crossed_up / max(self._asked, 1), self.crossed_down / max(self._asked, 1))

    def attend(self, stopping: Callable[[], bool], say: Callable[[str], object]) -> None:
        self._roster.attention.stopping, self._roster.attention.say = stopping, say

    def start(self) -> None:
        if self._started:
            return
        try:
            self._roster.start()
        except BaseException:
            self._roster.close()
            raise
        self._started = True

    def close(self) -> None:
        if self._started:
            self._roster.close()
            self._started = False

    def processes(self) -> list[int]:
        """Return the process ids of the members, each on its machine."""
        self.start()

        def read(member: Member, arrays: Arrays) -> int:
            return int(wire.take_array(arrays, "number", np.int64, ()))

        return self._roster.ask_all(wire.pack("who"), "process", read)

    def select_workers(self, round: int) -> Workers:
        return self._agreement.participation.select_workers(round)

    def exchange(self, state: Served, round: int) -> Messages:
        model = state.model
        self.start()
        self._log(model, round)
        inbox = Inbox(self.select_workers(round), model, self._agreement.due, round, finite=not self._trusted)
        self.unfit = 0
        for member, data in self._roster.play(round, self._announcer.frames(round, self._roster.log[round])):
            try:
                self._admit(inbox, member, data)
            except WireError as error:
                member.behind = True
                self.unfit += not wire.is_packet(data)
                self._roster.fault(member, error)
        if self._autonomous:  # others are replaced, which reports the fault
            for member in self._members:
                if member.late:
                    self._roster.fault(member, "no answer in time")
        workers = inbox.workers
        if len(workers) < self._least:
            self._roster.rewind(round)
            need = f"round {round + 1} needs answers of at least {self._least} workers; got {len(workers)}"
            raise TooFew("; ".join([need, *[f"last fault: {fault}" for fault in self.faults[-1:]]]))
        self._asked += len(inbox.asked)
        self.absent += len(inbox.asked) - len(workers)  # a repeated round counts once
        seed, colludes = self._agreement.participation.seed, self.adversary.colludes
        arrived = Messages(inbox.messages(), workers, round, seed, model, crossed=not colludes)
        if colludes:  # at the master, where all answers are
            arrived = self.adversary.cross(self._agreement.program, arrived, state)
        self._announcer.note(arrived)
        return arrived

    def _admit(self, inbox: Inbox, member: Member, data: Data) -> None:
        if not wire.is_packet(data):
            self.crossed_up += len(data)
            inbox.admit(member.workers, data)
            return
        wire.open_answer(data, self._trusted, "nobody")
        if asked := len(inbox.select_asked(member.workers)):
            raise WireError(f"an answer must be of {asked} workers; got an answer of no worker")

    def _log(self, model: Vector, round: int) -> None:
        """Log x0, so that a new member can be brought to this round."""
        if self._autonomous:
            self._roster.log.clear()
        elif len(self._roster.log) * model.nbytes > LOG_BYTES:
            self._states.keep()
        self._roster.log[round] = wire.model(model, round)

    @property
    def state(self) -> State:
        self.start()
        return self._states.gather()

    @state.setter
    def state(self, state: State) -> None:
        self.start()
        self._states.load(state)

    def spread(self, model: Vector) -> Spread:
        self.start()
        return measure_spread(self._roster, model, self.honest)
