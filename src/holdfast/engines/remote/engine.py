"""Many workers in several processes, on one machine or many, through Ray."""

from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from holdfast.engines import wire
from holdfast.engines.adversary import Adversary
from holdfast.engines.participation import Participation
from holdfast.engines.protocol import Spread
from holdfast.engines.ray import INLINE, Cluster, parcel
from holdfast.engines.remote.following import Announcer
from holdfast.engines.remote.inbox import Inbox
from holdfast.engines.remote.member import Member
from holdfast.engines.simulated import Reading
from holdfast.errors import InvalidInput, TooFew
from holdfast.onebit.coin import Counted
from holdfast.typing import Bits, Messages, Tally, Vector, Worker, Workers

LOG_BYTES = 64_000_000
"""How much of x0's past is held for shards that die; when it is full, all states are kept anew."""

T = TypeVar("T")


class Sharded:
    """Shards of workers, an actor each. The trajectory is the simulation's, bit for bit, if nobody is late."""

    def __init__(
        self,
        kind: type,
        arguments: Callable[[Workers], tuple[Any, ...]],
        worker: Worker[Any],
        workers: Workers,
        adversary: Adversary,
        participation: Participation,
        reading: Reading,
        *,
        shards: int,
        address: str = "local",
        timeout: float | None = None,
        least: int = 1,
    ) -> None:
        self._kind, self._arguments, self._worker = kind, arguments, worker
        self.workers, self._adversary, self._participation = workers, adversary, participation
        self._reading, self._counts = reading, isinstance(reading, Counted)
        self._announcer = Announcer(follow=self._counts)
        self._shards = min(shards, len(workers))
        self._address, self._timeout, self._least = address, timeout, max(least, 1)
        self._cluster: Cluster | None = None
        self._members: list[Member] = []
        self._log: dict[int, bytes] = {}
        self._state_type: Any = type(worker.init(np.empty((0, 1))))
        self.regular, self.voters = adversary.regular, participation.size
        self.absent = self.crossed_up = self.crossed_down = 0
        """How often a worker was asked in vain; the bytes that went each way between processes."""

    def start(self) -> None:
        """Start the actors, if they do not run yet."""
        if self._cluster is not None:
            return
        self._cluster = Cluster(self._shards, self._address)
        for workers in np.array_split(self.workers, self._shards):
            self._members.append(Member(self._cluster, self._kind, self._arguments(workers), workers))
        try:
            self.processes()
        except self._cluster.ray.exceptions.RayActorError as error:
            self.close()
            raise InvalidInput(f"every shard must be able to start; got {_cause(error)}") from None

    @property
    def _ray(self) -> Any:
        self.start()
        return cast(Cluster, self._cluster).ray

    def processes(self) -> list[int]:
        """Return the numbers of the shards' processes, each on its machine."""
        numbers: list[int] = self._ray.get([member.actor.process.remote() for member in self._members])
        return numbers

    def close(self) -> None:
        """End the actors, and Ray if we started it."""
        if self._cluster is not None:
            for member in self._members:
                self._cluster.ray.kill(member.actor)
            self._members = []
            self._cluster.close()
            self._cluster = None

    def exchange(self, model: Vector, round: int) -> Any:
        """Play a round and return `Messages` of all who answered in time."""
        self.start()
        self._remember(model, round)
        inbox = Inbox(self._participation.asked(round), len(model), round)
        for member, answer in self._answers(model, round):
            if answer is not None:  # else nobody there was asked
                self.crossed_up += len(answer)
                inbox.admit(member.workers, answer)
        self.absent += len(inbox.asked) - inbox.heard
        if inbox.heard < self._least:
            for member in self._members:  # some have played the round: back to where all were before it
                member.replace(self._log, round)
            raise TooFew(f"round {round + 1} needs answers of at least {self._least} workers; got {inbox.heard}")
        messages = self._read(model, inbox, round)
        if isinstance(messages, Tally):
            self._announcer.counted(messages, round)
        return messages

    def _read(self, model: Vector, inbox: Inbox, round: int) -> Messages:
        """Return the tally; or let liars collude, who see all rows, and read what they leave."""
        sent = inbox.rows()
        if sent is None:
            return inbox.tally()
        rows, workers = sent
        if self._adversary.colludes:
            rows = self._adversary.speak(rows, workers, self._worker.neutral(model), round)
        return self._reading(model, rows, workers, round)

    def _answers(self, model: Vector, round: int) -> Iterator[tuple[Member, bytes | Bits | None]]:
        """Ask all who are not late, and yield answers as they come, until the time is over."""
        ray = self._ray
        known, whole = self._announcer.frames(model, round), [self._log[round]]
        shared: dict[int, Any] = {}
        waiting: dict[Any, Member] = {}
        for member in self._members:
            if member.late is not None and not ray.wait([member.late], timeout=0)[0]:
                continue
            member.late = None
            frames = whole if member.behind else known
            self.crossed_down += sum(map(len, frames))
            waiting[member.ask(round, self._argument(frames, shared))] = member
        deadline = None if self._timeout is None else monotonic() + self._timeout
        while waiting:
            left = None if deadline is None else max(deadline - monotonic(), 0.0)
            done, _ = ray.wait(list(waiting), num_returns=1, timeout=left)
            if not done:
                break
            member = waiting.pop(done[0])
            try:
                answer = ray.get(done[0])
            except ray.exceptions.RayActorError:
                member.replace(self._log, round)
                waiting[member.ask(round, [self._log[round]])] = member
                continue
            except ray.exceptions.RayTaskError as error:
                raise error.cause from None
            yield member, answer
        for promise, member in waiting.items():
            member.late, member.behind = promise, True

    def _argument(self, frames: list[bytes], shared: dict[int, Any]) -> Any:
        """Return frames as an argument for actors; large ones are put once where all can reach them."""
        if sum(map(len, frames)) < INLINE:
            return frames
        if id(frames) not in shared:
            shared[id(frames)] = self._ray.put([parcel(frame) for frame in frames])
        return shared[id(frames)]

    def _remember(self, model: Vector, round: int) -> None:
        """Log x0, so that a shard that dies can be brought to this round again."""
        if len(self._log) * model.nbytes > LOG_BYTES:
            self._keep(round)
        self._log[round] = wire.model(model, round)

    def _keep(self, round: int) -> list[Any]:
        """Have all states kept as they are before this round."""
        kept = self._from_all(Member.keep, round)
        self._log = {}
        return kept

    def _from_all(self, get: Callable[[Member], T], round: int) -> list[T]:
        """Return what all shards give before this round. Who is late is waited for once more, who is dead replaced."""
        ray = self._ray
        given = []
        for member in self._members:
            if member.late is not None and not ray.wait([member.late], timeout=self._timeout)[0]:
                member.replace(self._log, round)
            while True:
                try:
                    given.append(get(member))
                    break
                except ray.exceptions.RayActorError:
                    member.replace(self._log, round)
        return given

    @property
    def _following(self) -> int:
        """The round that comes next, as far as the log tells."""
        return max(self._log, default=-1) + 1

    @property
    def state(self) -> Any:
        """The states of all who work, a row each."""
        parts = self._ray.get(self._keep(self._following))
        return self._state_type(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    @state.setter
    def state(self, state: Any) -> None:
        ray, first = self._ray, 0
        for member in self._members:
            last = first + len(np.setdiff1d(member.workers, self._adversary.idle))
            part = tuple(array[first:last] for array in state)
            ray.get(member.load(ray.put(part)))
            first = last
        self._log = {}
        self._announcer.forget()

    def spread(self, model: Vector) -> Spread:
        """Return how far the regular workers are; models are added up where they are, one after another."""
        ray, total = self._ray, None

        def add(member: Member) -> None:
            nonlocal total
            total = ray.get(member.actor.total.remote(model, total))

        self._from_all(add, self._following)
        mean = cast(Vector, total) / len(self.regular)
        return Spread(*(self._squares(model, point) for point in (mean, model)))

    def _squares(self, model: Vector, point: Vector) -> NDArray[np.float64]:
        parts = self._from_all(lambda member: self._ray.get(member.actor.squares.remote(model, point)), self._following)
        return np.concatenate(parts)

    def rehearsal(self, model: Vector) -> Messages:
        """Return messages such as a round could bring, without anybody's work."""
        asked = self._participation.asked(0)
        if self._counts and not self._adversary.colludes:
            return Tally(np.zeros(len(model), np.min_scalar_type(len(asked))), len(asked))
        rows = np.tile(model, (len(asked), 1))
        spoken = self._adversary.speak(rows, asked, self._worker.neutral(model), 0)
        return self._reading(model, spoken, asked, 0)


def _cause(error: Exception) -> str:
    """Return the last line of an actor's own trouble, without its traceback."""
    return next(line for line in reversed(str(error).splitlines()) if line.strip()).strip()
