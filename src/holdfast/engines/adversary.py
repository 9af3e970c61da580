"""What the master is sent, once the Byzantine workers have put their own rows in place of their messages."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks import Attack, ColludingAttack, FullView, LocalAttack, LocalView, WithMemory
from holdfast.engines.places import Where, split
from holdfast.errors import InvalidInput
from holdfast.kernels.room import room
from holdfast.states import Arrays, arrays_of, filled
from holdfast.typing import Nothing, Rows, Vector, Workers

A = TypeVar("A", bound=NDArray[Any])
Foresight = Callable[[Rows, Workers, int], Vector]
"""What the master, as it is now, would make of these rows of these workers in a round; asking changes nothing."""


class Adversary:
    """Those of `workers` that are Byzantine: they send what `attack` makes of what it may see.

    A LocalAttack sees what these workers know by themselves, a ColludingAttack every honest message as well, and with
    a `foresight` what the master would make of messages. All that is shown is a read-only copy. Byzantine workers skip
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
        """Who of the workers is Byzantine."""
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
        """The numbers of the Byzantine workers whose own messages nobody needs."""
        self.memory: Any = Nothing()
        """What an attack with memory remembers; nothing before its first round."""
        self.foresight: Foresight | None = None
        """What colluding workers may ask."""
        self.turned_foresight: Foresight | None = None
        """The same for rows less the neutral one, by coordinates in any orthonormal basis, if that is all it needs."""
        self.columned_foresight: Callable[[Rows, Workers, int, int], Vector] | None = None
        """The same for some columns of the rows, if all others matter only by the rows' lengths and angles."""
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
            self.memory = filled(self._first_memory(neutral), arrays)

    def _first_memory(self, neutral: Vector) -> Any:
        assert isinstance(self._attack, WithMemory)
        return self._attack.init(_copy(neutral), self._workers[self.is_byzantine])

    def corrupt(self, rows: Rows, workers: Workers, neutral: Vector, round: int) -> Rows:
        """Return what `workers` send whose messages, if all were honest, are `rows`. Valid until the next call.

        The rows of idle workers are written over, no others. Colluding workers that see no honest message in a
        round send the neutral one.
        """
        everyone = len(workers) == len(self._workers)
        corrupted = self.is_byzantine if everyone else np.isin(workers, self._workers[self.is_byzantine])
        if self._attack is None or not corrupted.any():
            return rows
        if isinstance(self._attack, ColludingAttack) and corrupted.all():
            return np.broadcast_to(neutral, rows.shape)
        byzantine_at, honest_at = self._split if everyone else split(corrupted)
        sent = self._attacked(rows, workers, neutral, round, byzantine_at, honest_at)
        made = self._checked(sent, (len(workers[byzantine_at]), rows.shape[1]))
        messages = rows if len(self.idle) else self._copied(rows, honest_at)
        with np.errstate(over="ignore", invalid="ignore"):
            messages[byzantine_at] = made
        return messages

    def _attacked(
        self, rows: Rows, workers: Workers, neutral: Vector, round: int, byzantine_at: Where, honest_at: Where
    ) -> object:
        nowhere, byzantine = _copy(neutral), _taken(workers, byzantine_at)
        # idle workers send what is neutral: all of them are shown one row
        own = _repeated(nowhere, len(byzantine)) if len(self.idle) else _taken(rows, byzantine_at)
        local = (own, nowhere, byzantine, round, self._seed)
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                if isinstance(self._attack, LocalAttack):
                    return self._sent(LocalView(*local))
                honest = _taken(workers, honest_at)
                absent = np.setdiff1d(self.honest, honest) if len(workers) < len(self._workers) else honest[:0]
                asked = [
                    foresight and partial(_answer, foresight, workers, round, byzantine_at, honest_at)
                    for foresight in (self.foresight, self.turned_foresight, self.columned_foresight)
                ]
                return self._sent(FullView(*local, _taken(rows, honest_at), honest, _copy(absent), *asked))
        except ValueError as error:
            if isinstance(error, InvalidInput) or "read-only" not in str(error):
                raise
            raise InvalidInput(f"attack {self._name} must not write into what it is shown; got: {error}") from None

    def _checked(self, sent: object, shape: tuple[int, int]) -> Rows:
        """Return what an attack sent as plain rows of this shape, or say that it is something else."""
        rows = np.asarray(sent) if isinstance(sent, np.ndarray) else None  # not what a subclass says of itself
        if rows is None or rows.shape != shape or rows.dtype.kind != "f":
            came = type(sent).__name__ if rows is None else f"{rows.dtype} of shape {rows.shape}"
            raise InvalidInput(f"attack {self._name} must return a floating-point array of shape {shape}; got {came}")
        return cast(Rows, rows)

    def _sent(self, view: Any) -> object:
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

    def _copied(self, rows: Rows, honest_at: Where) -> Rows:
        """Return a copy of the honest rows with room for the others."""
        if self._copy is None or self._copy.shape != rows.shape:
            self._copy = np.empty_like(rows)
        at = honest_at if isinstance(honest_at, slice) else slice(None)  # a list of places would be copied twice
        self._copy[at] = rows[at]
        return self._copy


def _answer(
    foresight: Callable[..., Vector],
    workers: Workers,
    round: int,
    byzantine_at: Where,
    honest_at: Where,
    messages: Rows,
    *columns: int,
) -> Vector:
    """Return what the master would make of a round's messages, the honest ones first, or of some columns of these."""
    ordered = room(messages.shape, messages.dtype)
    ordered[honest_at], ordered[byzantine_at] = np.split(messages, [len(workers[honest_at])])
    return _copy(foresight(ordered, workers, round, *columns))


def _copy(array: A) -> A:
    """Return a copy to be shown.

    It is read-only, so that writing into it is said to be wrong. A view would not do: its flag can be set again, and
    its base is the array itself.
    """
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def _taken(array: A, at: Where) -> A:
    """Return a copy of some entries, to be shown."""
    if isinstance(at, slice):
        return _copy(cast(A, array[at]))
    taken = array[at]  # this is a copy
    taken.flags.writeable = False
    return cast(A, taken)


def _repeated(row: Vector, times: int) -> Rows:
    """Return so many times the same read-only row, without copies."""
    return np.ndarray((times, len(row)), row.dtype, cast(Any, row), strides=(0, *row.strides))
