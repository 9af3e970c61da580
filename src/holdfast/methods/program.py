"""A method as a program, from the workers' local rule to the master's step. Every caller plays the same one.

    worker | sending | attack | reading | rule | serving | step

Engines decide where each part runs, never what it does.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any, Literal, NamedTuple, Protocol, TypeVar, cast

import numpy as np

from holdfast.aggregators import Weighing
from holdfast.errors import InvalidInput
from holdfast.methods.priors import Ridge
from holdfast.onebit import Encoder
from holdfast.typing import Messages, Nothing, Rows, Schedule, Vector, Worker

T = TypeVar("T")


class Element(Protocol):
    """A part on the messages' way to the rule: a stage, weights, watching. State in, state out."""

    rotation_equivariant: bool
    """Whether it sees lengths and angles only, and remembers nothing."""

    def init(self, model: Vector) -> Any:
        """Return the memory before the first round of a master that starts at `model`."""

    def step(self, state: Any, messages: Messages, /) -> tuple[Messages, Any]:
        """Return the messages as the next part shall see them, and the memory after the round."""


class Rule(Protocol):
    """The part that makes one vector of the messages."""

    rotation_equivariant: bool
    coordinate_wise: bool

    def init(self, model: Vector) -> Any: ...

    def step(self, state: Any, messages: Messages, /) -> tuple[Vector, Any]: ...


class Serving(Protocol):
    """A part that changes the direction before the master steps."""

    def init(self, model: Vector) -> Any: ...

    def step(self, state: Any, direction: Vector, messages: Messages, /) -> tuple[Vector, Any]: ...


class Served(NamedTuple):
    """The master's state: its model x0, and what the parts of its program remember."""

    model: Vector
    memory: Any = Nothing()
    """The rule's."""
    reading: tuple[Any, ...] = ()
    serving: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Program:
    """All that happens to the messages of a round; the master's step is

        x0 <- x0 - alpha / (1 + n alpha damping) (grad f0(x0) + direction)

    (eqs. update:x, update2:x:0 and aggsgd, where damping is 0). Rules and stages with an open field for it are told
    that `declared` workers are Byzantine.
    """

    worker: Worker[Any]
    """The local rule of honest workers."""
    rule: Any
    """A `Rule`, or a function of `(n, d)` rows."""
    rate: Schedule
    """alpha, by round."""
    prior: Ridge
    """f0, which the master alone knows."""
    sending: tuple[Encoder, ...] = ()
    """At each honest worker, from left to right."""
    reading: tuple[Any, ...] = ()
    """At the master, from left to right: each an `Element`, or a function from messages to messages."""
    serving: tuple[Serving, ...] = ()
    damping: float = 0.0
    declared: int = 0

    # -- at the workers ----------------------------------------------------------------------------------------------

    @property
    def sends_bits(self) -> bool:
        """Whether a message that crosses is one bit per coordinate."""
        return any(encoder.sends_bits for encoder in self.sending)

    @property
    def counts(self) -> bool:
        """Whether all that the master needs of bits is their count, so that stations may count them."""
        return self.sends_bits and not self.reading

    def send(self, answers: Messages) -> Messages:
        """Return what honest workers send whose local rule has made these answers."""
        return reduce(lambda passing, encoder: encoder.encode(passing), self.sending, answers)._replace(crossed=True)

    def admit(self, answers: Messages) -> Messages:
        """Return anything in place of answers as messages that could have crossed."""
        return reduce(lambda passing, encoder: encoder.admit(passing), self.sending, answers)._replace(crossed=True)

    # -- at the master -----------------------------------------------------------------------------------------------

    def init(self, model: Vector) -> Served:
        """Return the master's state before the first round."""
        reading, rule = self._parts
        parts = (tuple(part.init(model) for part in some) for some in (reading, self.serving))
        return Served(model, rule.init(model), *parts)

    def direction(self, state: Served, messages: Messages, first: int = 0) -> tuple[Vector, Served]:
        """Return the direction in which the master steps away, and its state with what is remembered: pure.

        Messages that have not crossed are read as if they had. The rule is shown the columns from `first` on.
        """
        reading, rule = self._parts
        if messages.model is not state.model:
            messages = messages._replace(model=state.model)
        if self.sending and not messages.crossed and isinstance(messages.rows, np.ndarray):
            messages = self.admit(messages)
        read, remembered = _pass_through(reading, state.reading, messages) if reading else (messages, ())
        if first:
            read = read._replace(rows=cast(Rows, read.rows)[:, first:], model=read.model[first:])
        vector, memory = rule.step(state.memory, read)
        if isinstance(read.rows, np.ndarray):
            vector = _check_vector(rule, vector, read.model, read.rows)
        vector, serving = _pass_through(self.serving, state.serving, vector, messages) if self.serving else (vector, ())
        return vector, Served(state.model, memory, remembered, serving)

    def step(self, state: Served, messages: Messages) -> Served:
        """Return the master's state after a round of these messages."""
        x, n, alpha = state.model, len(messages.workers), float(self.rate(messages.round))
        # a message may hold anything: overflow shows as an infinite model, which the caller looks for
        with np.errstate(over="ignore", invalid="ignore"):
            direction, after = self.direction(state, messages)
            moved = x - alpha / (1 + n * alpha * self.damping) * (self.prior.gradient(x) + direction)
        return Served(moved, *after[1:])

    # -- for searching attacks ----------------------------------------------------------------------------------------

    @cached_property
    def sketch_kind(self) -> Literal["whole", "columns"] | None:
        """Whether `sketch` can be asked: for a rule that needs inner products only, or such a mixture column by column.

        None where encoders, or parts with memory, look at coordinates.
        """
        reading, rule = self._parts
        if self.sending or not all(part.rotation_equivariant for part in reading):
            return None
        if rule.rotation_equivariant:
            return "whole"
        return "columns" if rule.coordinate_wise else None

    def sketch(self, messages: Messages, inner: int) -> Vector:
        """Return the direction for rows about the neutral message, in coordinates of any orthonormal basis.

        The first `inner` columns tell the rows' lengths and angles. A rule that looks at single columns is shown those
        behind them, and its direction is in these.
        """
        start = self.init(np.zeros_like(cast(Rows, messages.rows)[0]))
        return self.direction(start, messages, inner if self.sketch_kind == "columns" else 0)[0]

    # -- parts -------------------------------------------------------------------------------------------------------

    @cached_property
    def _parts(self) -> tuple[tuple[Element, ...], Rule]:
        """The reading elements and the rule, told how many workers are declared."""
        reading = (tell(part, self.declared) for part in self.reading)
        rule = tell(self.rule, self.declared)
        elements = tuple(part if _is_part(part) else ElementFunction(part) for part in reading)
        return elements, rule if _is_part(rule) else RuleFunction(rule)


def tell(part: Any, declared: int) -> Any:
    """Return a rule or stage that knows how many Byzantine workers are declared, unless it was given a number.

    >>> from holdfast.aggregators import Krum
    >>> tell(Krum(), 8), tell(Krum(byzantine=3), 8)
    (Krum(byzantine=8), Krum(byzantine=3))
    """
    field = getattr(part, "declared_option", "byzantine")
    return replace(part, **{field: declared}) if getattr(part, field, 0) is None else part


def try_fewer(program: Program, found: int, play: Callable[[Program], T]) -> T:
    """Return what `play` makes of a program, or, while that cannot work, of one with fewer declared Byzantine workers.

    A worker that sent something unusable was one of the declared ones, so at most `found` fewer are declared. What
    cannot work raises InvalidInput or OverflowError; if nothing works, the first of these is raised.
    """
    reasons: list[Exception] = []
    for fewer in _fewer(program, found):
        try:
            return play(fewer)
        except (InvalidInput, OverflowError) as error:
            reasons.append(error)
    raise reasons[0]


def _fewer(program: Program, found: int) -> Iterator[Program]:
    yield program
    for declared in range(program.declared - 1, max(program.declared - found, 0) - 1, -1):
        yield replace(program, declared=declared)


def _pass_through(elements: Sequence[Any], states: tuple[Any, ...], value: T, *about: Any) -> tuple[T, tuple[Any, ...]]:
    """Return what the elements, from left to right, make of a value, and their states after it."""
    after = []
    for element, state in zip(elements, states, strict=True):
        value, remembered = element.step(state, value, *about)
        after.append(remembered)
    return value, tuple(after)


def _check_vector(rule: Rule, vector: Any, model: Vector, rows: Rows) -> Vector:
    if type(vector) is np.ndarray and vector.shape == model.shape and vector.dtype == rows.dtype:
        return vector
    if np.shape(vector) != model.shape:
        raise InvalidInput(f"{rule} must return a vector of shape {model.shape}; got {np.shape(vector)}")
    return np.asarray(vector, rows.dtype)


def _is_part(part: Any) -> bool:
    """Return whether a part is more than a function; one from outside may have an option of either name."""
    return all(callable(getattr(part, name, None)) for name in ("init", "step"))


class _Function:
    """A function as a part of a program: it remembers nothing."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.rotation_equivariant = bool(getattr(function, "rotation_equivariant", False))
        self.coordinate_wise = bool(getattr(function, "coordinate_wise", False))

    def __str__(self) -> str:
        return str(self.function)

    def init(self, model: Vector) -> Nothing:
        return Nothing()


class RuleFunction(_Function):
    """A function of rows as a rule."""

    def step(self, state: Nothing, messages: Messages) -> tuple[Vector, Nothing]:
        if messages.weights is None:
            return self.function(messages.rows), state
        return cast(Weighing, self.function).weigh(cast(Rows, messages.rows), messages.weights), state


class ElementFunction(_Function):
    """A function from messages to messages as an element."""

    def step(self, state: Nothing, messages: Messages) -> tuple[Messages, Nothing]:
        return self.function(messages), state
