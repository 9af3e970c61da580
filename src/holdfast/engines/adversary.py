"""The messages that arrive at the master, `sending | attack`: those of honest and of Byzantine workers."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from holdfast.attacks import Attack, ColludingAttack, FullView, LocalAttack, LocalView, Sketch, WithMemory
from holdfast.engines.worker_group import Where, split
from holdfast.errors import InvalidInput
from holdfast.methods import Program, Served
from holdfast.onebit import count_sides
from holdfast.states import Arrays, arrays_of, fill_state
from holdfast.typing import Array, Messages, Nothing, Rows, Sides, State, Vector, Workers

A = TypeVar("A", bound=Array)
Ask = tuple[Program, Served]
"""What colluding workers may query: the program in the master's state of this round."""


class Lies(NamedTuple):
    """The rows that Byzantine workers send in a round, and the places of Byzantine and honest rows among all."""

    rows: Rows
    byzantine_at: Where
    honest_at: Where


class Adversary:
    """The Byzantine workers among `workers`: they send what `attack` makes of its view.

    A LocalAttack sees what its own workers know. A ColludingAttack also sees every honest worker's answer before it is
    encoded, and may query the master. Views hold read-only copies. Byzantine workers skip their own message if the
    attack does not use it, except with `computing_always`, for measuring time.
    """

    def __init__(
        self,
        attack: Attack | None,
        workers: Workers,
        byzantine: Iterable[int] = (),
        seed: int = 0,
        computing_always: bool = False,
    ) -> None:
        self._attack, self._workers, self._seed = attack, workers, seed
        self._sees_honest = isinstance(attack, ColludingAttack)
        self._with_memory: WithMemory[State] | None = attack if isinstance(attack, WithMemory) else None
        if attack is not None and isinstance(attack, LocalAttack) == self._sees_honest:
            both = ", which is both" if self._sees_honest else ""
            raise InvalidInput(f"an attack must be a LocalAttack or a ColludingAttack; got {self._name}{both}")
        numbers = list(byzantine)
        self.is_byzantine = np.isin(workers, numbers)
        """Which of the workers are Byzantine."""
        strangers = np.setdiff1d(numbers, workers)
        if strangers.size:
            raise InvalidInput(f"byzantine must be among the workers; got {strangers[0]}")
        if attack is None and self.is_byzantine.any():
            raise InvalidInput("Byzantine workers need an attack; got attack=None")
        if self.is_byzantine.all():
            raise InvalidInput(
                f"at least one worker must be honest; got {self.is_byzantine.sum()} Byzantine of as many"
            )
        self.honest: Workers = workers[~self.is_byzantine]
        """The numbers of the honest workers."""
        skip = attack is not None and not attack.uses_own and not computing_always
        self.idle: Workers = workers[self.is_byzantine] if skip else workers[:0]
        """The numbers of the Byzantine workers that compute no message of their own."""
        self.memory: State = Nothing()
        """The memory of an attack that has one; Nothing before its first round."""
        self._split = split(self.is_byzantine)
        self._copy: Rows | None = None

    @property
    def colludes(self) -> bool:
        """Whether the attack is mounted at the master: it sees honest messages, or it has a memory."""
        return self._sees_honest or self._with_memory is not None

    def pack_memory(self) -> Arrays:
        """Return the memory as a checkpoint holds it."""
        return arrays_of(self.memory)

    def restore_memory(self, arrays: Arrays, neutral: Vector) -> None:
        """Resume with the memory in a checkpoint; messages are like `neutral`."""
        if arrays and self._with_memory is not None:
            self.memory = fill_state(self._init_memory(self._with_memory, neutral), arrays)

    def _init_memory(self, attack: WithMemory[State], neutral: Vector) -> State:
        return attack.init(_copy(neutral), self._workers[self.is_byzantine])

    def cross(self, program: Program, messages: Messages, state: Served | None = None) -> Messages:
        """Return the messages that arrive: honest ones as the program sends them, Byzantine ones from the attack.

        `messages` are the answers of the local rule. Colluding workers see them all; with the master's `state` they may
        query what the master would make of others. Bits are counted if the count is enough. Valid until the next round.
        """
        neutral = program.worker.neutral(messages.model)
        lies = self.lie(messages, neutral, None if state is None else (program, state))
        if not program.sending:
            return messages if lies is None else messages._replace(rows=self._put(messages.numbers, lies))
        sent = program.send(messages) if lies is None else self._join(program, messages, lies)
        return sent._replace(rows=count_sides(cast(Sides, sent.rows))) if program.counts else sent

    def corrupt(self, messages: Messages, neutral: Vector) -> Rows:
        """Return the rows that arrive of messages outside any program, such as reports. Valid until the next call."""
        rows, lies = messages.numbers, self.lie(messages, neutral)
        return rows if lies is None else self._put(rows, lies)

    def lie(self, messages: Messages, neutral: Vector, master: Ask | None = None) -> Lies | None:
        """Return the rows of the Byzantine workers, if there are any.

        Colluding workers that see no honest message in a round send the neutral message.
        """
        rows, workers = messages.numbers, messages.workers
        complete = len(workers) == len(self._workers)
        byzantine = self.is_byzantine if complete else np.isin(workers, self._workers[self.is_byzantine])
        if self._attack is None or not byzantine.any():
            return None
        places = self._split if complete else split(byzantine)
        byzantine_at, honest_at = places
        if self._sees_honest and byzantine.all():
            return Lies(np.broadcast_to(neutral, rows.shape), *places)
        sent = self._mount(messages, neutral, byzantine_at, honest_at, master)
        return Lies(self._check(sent, (len(workers[byzantine_at]), rows.shape[1])), *places)

    def _mount(
        self, messages: Messages, neutral: Vector, byzantine_at: Where, honest_at: Where, master: Ask | None
    ) -> object:
        """Return the attack's rows, unchecked."""
        rows, workers = messages.numbers, messages.workers
        shown, byzantine = _copy(neutral), _take(workers, byzantine_at)
        # idle workers send the neutral message: all of them share one row
        own = _repeat(shown, len(byzantine)) if len(self.idle) else _take(rows, byzantine_at)
        local = (own, shown, byzantine, messages.round, self._seed)
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                if not self._sees_honest:
                    return self._send(LocalView(*local))
                honest = _take(workers, honest_at)
                absent = np.setdiff1d(self.honest, honest) if len(workers) < len(self._workers) else honest[:0]
                queries = _bind_queries(master, messages, byzantine_at, honest_at)
                return self._send(FullView(*local, _take(rows, honest_at), honest, _copy(absent), *queries))
        except InvalidInput:
            raise
        except ValueError as error:
            if "read-only" not in str(error):
                raise
            raise InvalidInput(f"attack {self._name} must not write into what it is shown; got: {error}") from None

    def _check(self, sent: object, shape: tuple[int, int]) -> Rows:
        """Return the attack's result as plain rows; InvalidInput if it is anything except rows of this shape."""
        rows = np.asarray(sent) if isinstance(sent, np.ndarray) else None  # a subclass may lie about its shape
        if rows is None or rows.shape != shape or rows.dtype.kind != "f":
            came = type(sent).__name__ if rows is None else f"{rows.dtype} of shape {rows.shape}"
            raise InvalidInput(f"attack {self._name} must return a floating-point array of shape {shape}; got {came}")
        return cast(Rows, rows)

    def _send(self, view: LocalView) -> object:
        attack = self._with_memory
        if attack is None:
            return cast(Callable[[LocalView], object], self._attack)(view)
        if isinstance(self.memory, Nothing):
            self.memory = self._init_memory(attack, view.neutral)
        rows, self.memory = attack.step(self.memory, view)
        return rows

    @property
    def _name(self) -> str:
        return type(self._attack).__name__

    def _put(self, rows: Rows, lies: Lies) -> Rows:
        """Return the rows with lies in their places. Only the rows of idle workers are overwritten."""
        sent = rows
        if not len(self.idle):
            sent = self._buffer(rows)
            # a list of places would be copied twice
            at = lies.honest_at if isinstance(lies.honest_at, slice) else slice(None)
            sent[at] = rows[at]
        with np.errstate(over="ignore", invalid="ignore"):
            sent[lies.byzantine_at] = lies.rows
        return sent

    def _join(self, program: Program, messages: Messages, lies: Lies) -> Messages:
        """Return honest messages as sent and lies as admitted, each in its place."""
        workers, rows = messages.workers, messages.numbers
        with np.errstate(over="ignore", invalid="ignore"):
            raw = messages._replace(rows=lies.rows.astype(rows.dtype, copy=False), workers=workers[lies.byzantine_at])
        forged = program.admit(raw).rows
        if len(lies.rows) == len(workers):  # no honest worker is here
            return messages._replace(rows=forged, crossed=True)
        own = messages._replace(rows=rows[lies.honest_at], workers=workers[lies.honest_at])
        honest = program.send(own).rows
        if isinstance(honest, Sides) and isinstance(forged, Sides):
            bits = np.empty((len(workers), honest.bits.shape[1]), np.uint8)
            bits[lies.honest_at], bits[lies.byzantine_at] = honest.bits, forged.bits
            return messages._replace(rows=Sides(bits, honest.dimension), crossed=True)
        joined = self._buffer(rows)
        joined[lies.honest_at], joined[lies.byzantine_at] = cast(Rows, honest), cast(Rows, forged)
        return messages._replace(rows=joined, crossed=True)

    def _buffer(self, rows: Rows) -> Rows:
        """Return an array like these, the same array every round."""
        if self._copy is None or self._copy.shape != rows.shape:
            self._copy = np.empty_like(rows)
        return self._copy


def _bind_queries(
    master: Ask | None, messages: Messages, byzantine_at: Where, honest_at: Where
) -> tuple[Callable[[Rows], Vector] | None, Sketch | None]:
    """Return how a view queries the master: with whole rows, and in few coordinates where the program allows."""
    if master is None:
        return None, None

    def ask(answer: Callable[..., Vector], rows: Rows, *inner: int) -> Vector:
        """Query rows of which the honest ones come first."""
        ordered = np.empty(rows.shape, rows.dtype)
        ordered[honest_at], ordered[byzantine_at] = np.split(rows, [len(messages.workers[honest_at])])
        return _copy(answer(messages._replace(rows=ordered), *inner))

    program, state = master
    kind = program.sketch_kind
    sketch = Sketch(kind == "columns", partial(ask, program.sketch)) if kind else None
    return partial(ask, lambda asked: program.direction(state, asked)[0]), sketch


def _copy(array: A) -> A:
    """Return a read-only copy for a view.

    A read-only view of the array would not do: its flag can be set again, and its base is the array itself.
    """
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def _take(array: A, at: Where) -> A:
    """Return a read-only copy of some entries."""
    taken = cast(A, array[at])
    if taken.base is not None:  # a view, as of a slice
        return _copy(taken)
    taken.flags.writeable = False
    return taken


def _repeat(row: Vector, times: int) -> Rows:
    """Return a read-only row so many times, without copies."""
    return np.ndarray((times, len(row)), row.dtype, cast(Any, row), strides=(0, *row.strides))
