"""What arrives at the master, `sending | attack`: the Byzantine workers among others, and what they may ask."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks import Attack, ColludingAttack, FullView, LocalAttack, LocalView, Sketch, WithMemory
from holdfast.engines.worker_group import Where, split
from holdfast.errors import InvalidInput
from holdfast.methods import Program, Served
from holdfast.onebit import count_sides
from holdfast.states import Arrays, arrays_of, fill_state
from holdfast.typing import Messages, Nothing, Rows, Sides, Vector, Workers

A = TypeVar("A", bound=NDArray[Any])
Ask = tuple[Program, Served]
"""What colluding workers may ask: the program in the master's state of this round."""


class Lies(NamedTuple):
    """The rows that Byzantine workers send in a round, and where they and the honest ones are among all."""

    rows: Rows
    byzantine_at: Where
    honest_at: Where


class Adversary:
    """The `byzantine` ones of some workers: they send what `attack` makes of what it may see.

    A LocalAttack sees what these workers know by themselves. A ColludingAttack sees every honest worker's answer as
    well, before it is encoded, and may ask the master. All that is shown is a read-only copy. Byzantine workers skip
    their own message when the attack does not use it, unless they are `computing_always`, as for measuring time.
    """

    def __init__(
        self,
        attack: Attack | None,
        workers: Workers,
        byzantine: Iterable[int] = (),
        seed: int = 0,
        computing_always: bool = False,
    ) -> None:
        if attack is not None and not isinstance(attack, LocalAttack | ColludingAttack):
            raise InvalidInput(f"an attack must be a LocalAttack or a ColludingAttack; got {type(attack).__name__}")
        if isinstance(attack, LocalAttack) and isinstance(attack, ColludingAttack):
            named = f"{type(attack).__name__}, which is both"
            raise InvalidInput(f"an attack must be a LocalAttack or a ColludingAttack; got {named}")
        self._attack, self._workers, self._seed = attack, workers, seed
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
        """The numbers of the Byzantine workers whose own messages are not used."""
        self.memory: Any = Nothing()
        """What an attack with memory remembers; nothing before its first round."""
        self._split = split(self.is_byzantine)
        self._copy: Rows | None = None

    @property
    def colludes(self) -> bool:
        """Whether the attack is mounted where all messages are: it sees honest ones, or it has a memory."""
        return isinstance(self._attack, ColludingAttack | WithMemory)

    def remembered(self) -> Arrays:
        """Return the memory as a checkpoint holds it."""
        return arrays_of(self.memory)

    def recall(self, arrays: Arrays, neutral: Vector) -> None:
        """Go on from a memory that a checkpoint held; messages are like `neutral`."""
        if arrays and isinstance(self._attack, WithMemory):
            self.memory = fill_state(self._first_memory(neutral), arrays)

    def _first_memory(self, neutral: Vector) -> Any:
        assert isinstance(self._attack, WithMemory)
        return self._attack.init(_copy(neutral), self._workers[self.is_byzantine])

    def cross(self, program: Program, messages: Messages, state: Served | None = None) -> Messages:
        """Return the messages that arrive: honest ones as the program sends them, Byzantine ones as the attack says.

        `messages` are the answers of the local rule. Colluding workers see them all and, with the master's `state`, may
        ask what it would make of others. Where a count of bits is enough, bits are counted. Valid until the next round.
        """
        neutral = program.worker.neutral(messages.model)
        lies = self.lie(messages, neutral, None if state is None else (program, state))
        if not program.sending:
            return messages if lies is None else messages._replace(rows=self._put(cast(Rows, messages.rows), lies))
        sent = program.send(messages) if lies is None else self._join(program, messages, lies)
        return sent._replace(rows=count_sides(cast(Sides, sent.rows))) if program.counts else sent

    def corrupt(self, messages: Messages, neutral: Vector) -> Rows:
        """Return what arrives of messages that belong to no program, such as reports. Valid until the next call."""
        rows, lies = cast(Rows, messages.rows), self.lie(messages, neutral)
        return rows if lies is None else self._put(rows, lies)

    def lie(self, messages: Messages, neutral: Vector, master: Ask | None = None) -> Lies | None:
        """Return what the Byzantine workers send, if there are any.

        Colluding workers that see no honest message in a round send the neutral one.
        """
        rows, workers = cast(Rows, messages.rows), messages.workers
        everyone = len(workers) == len(self._workers)
        corrupted = self.is_byzantine if everyone else np.isin(workers, self._workers[self.is_byzantine])
        if self._attack is None or not corrupted.any():
            return None
        places = self._split if everyone else split(corrupted)
        byzantine_at, honest_at = places
        if isinstance(self._attack, ColludingAttack) and corrupted.all():
            return Lies(np.broadcast_to(neutral, rows.shape), *places)
        sent = self._mount(messages, neutral, byzantine_at, honest_at, master)
        return Lies(self._check(sent, (len(workers[byzantine_at]), rows.shape[1])), *places)

    def _mount(
        self, messages: Messages, neutral: Vector, byzantine_at: Where, honest_at: Where, master: Ask | None
    ) -> object:
        """Return what the attack sends."""
        rows, workers = cast(Rows, messages.rows), messages.workers
        nowhere, byzantine = _copy(neutral), _take(workers, byzantine_at)
        # idle workers send what is neutral: all of them are shown one row
        own = _repeat(nowhere, len(byzantine)) if len(self.idle) else _take(rows, byzantine_at)
        local = (own, nowhere, byzantine, messages.round, self._seed)
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                if isinstance(self._attack, LocalAttack):
                    return self._send(LocalView(*local))
                honest = _take(workers, honest_at)
                absent = np.setdiff1d(self.honest, honest) if len(workers) < len(self._workers) else honest[:0]
                asking = _asking(master, messages, byzantine_at, honest_at)
                return self._send(FullView(*local, _take(rows, honest_at), honest, _copy(absent), *asking))
        except ValueError as error:
            if isinstance(error, InvalidInput) or "read-only" not in str(error):
                raise
            raise InvalidInput(f"attack {self._name} must not write into what it is shown; got: {error}") from None

    def _check(self, sent: object, shape: tuple[int, int]) -> Rows:
        """Return what an attack sent as plain rows of this shape, or say that it is something else."""
        rows = np.asarray(sent) if isinstance(sent, np.ndarray) else None  # not what a subclass says of itself
        if rows is None or rows.shape != shape or rows.dtype.kind != "f":
            came = type(sent).__name__ if rows is None else f"{rows.dtype} of shape {rows.shape}"
            raise InvalidInput(f"attack {self._name} must return a floating-point array of shape {shape}; got {came}")
        return cast(Rows, rows)

    def _send(self, view: Any) -> object:
        attack: Any = self._attack
        if not isinstance(attack, WithMemory):
            return attack(view)
        if isinstance(self.memory, Nothing):
            self.memory = self._first_memory(view.neutral)
        sent, self.memory = attack.step(self.memory, view)
        return sent

    @property
    def _name(self) -> str:
        return type(self._attack).__name__

    def _put(self, rows: Rows, lies: Lies) -> Rows:
        """Return the rows with lies in their places; the rows of idle workers are written over, no others."""
        sent = rows
        if not len(self.idle):
            sent = self._room(rows)
            # a list of places would be copied twice
            at = lies.honest_at if isinstance(lies.honest_at, slice) else slice(None)
            sent[at] = rows[at]
        with np.errstate(over="ignore", invalid="ignore"):
            sent[lies.byzantine_at] = lies.rows
        return sent

    def _join(self, program: Program, messages: Messages, lies: Lies) -> Messages:
        """Return honest messages as they are sent, and lies as something that could have crossed, in their places."""
        workers, rows = messages.workers, cast(Rows, messages.rows)
        with np.errstate(over="ignore", invalid="ignore"):
            told = messages._replace(rows=lies.rows.astype(rows.dtype, copy=False), workers=workers[lies.byzantine_at])
        forged = program.admit(told).rows
        if len(lies.rows) == len(workers):  # no honest worker is here
            return messages._replace(rows=forged, crossed=True)
        own = messages._replace(rows=rows[lies.honest_at], workers=workers[lies.honest_at])
        honest = program.send(own).rows
        if isinstance(honest, Sides) and isinstance(forged, Sides):
            bits = np.empty((len(workers), honest.bits.shape[1]), np.uint8)
            bits[lies.honest_at], bits[lies.byzantine_at] = honest.bits, forged.bits
            return messages._replace(rows=Sides(bits, honest.dimension), crossed=True)
        joined = self._room(rows)
        joined[lies.honest_at], joined[lies.byzantine_at] = cast(Rows, honest), cast(Rows, forged)
        return messages._replace(rows=joined, crossed=True)

    def _room(self, rows: Rows) -> Rows:
        """Return an array like these, the same one every round."""
        if self._copy is None or self._copy.shape != rows.shape:
            self._copy = np.empty_like(rows)
        return self._copy


def _asking(
    master: Ask | None, messages: Messages, byzantine_at: Where, honest_at: Where
) -> tuple[Callable[[Rows], Vector] | None, Sketch | None]:
    """Return how a view asks the master: with whole rows, and in few coordinates where that is possible."""
    if master is None:
        return None, None

    def ask(answer: Callable[..., Vector], rows: Rows, *inner: int) -> Vector:
        """Ask about rows of which the honest ones come first."""
        ordered = np.empty(rows.shape, rows.dtype)
        ordered[honest_at], ordered[byzantine_at] = np.split(rows, [len(messages.workers[honest_at])])
        return _copy(answer(messages._replace(rows=ordered), *inner))

    program, state = master
    kind = program.sketch_kind
    sketch = Sketch(kind == "columns", partial(ask, program.sketch)) if kind else None
    return partial(ask, lambda asked: program.direction(state, asked)[0]), sketch


def _copy(array: A) -> A:
    """Return a copy to be shown.

    It is read-only, so that writing into it is said to be wrong. A view would not do: its flag can be set again, and
    its base is the array itself.
    """
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def _take(array: A, at: Where) -> A:
    """Return a copy of some entries, to be shown."""
    if isinstance(at, slice):
        return _copy(cast(A, array[at]))
    taken = array[at]  # this is a copy
    taken.flags.writeable = False
    return cast(A, taken)


def _repeat(row: Vector, times: int) -> Rows:
    """Return so many times the same read-only row, without copies."""
    return np.ndarray((times, len(row)), row.dtype, cast(Any, row), strides=(0, *row.strides))
