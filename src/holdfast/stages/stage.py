"""What all stages share: they work on a round's messages, or on bare rows."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic, overload

from holdfast.aggregators.requirements import Part
from holdfast.arrays import check_rows, like
from holdfast.errors import InvalidInput
from holdfast.typing import Messages, Nothing, Rows, S, State, Vector


class Stage(Part, ABC):
    """An element on the way of messages before a rule reads them: messages in, messages out.

    The number of rows may change; each row keeps a worker's number.
    """

    shortens: ClassVar[bool] = False
    """Whether equal rows may become shorter."""
    keeps_workers: ClassVar[bool] = False
    """Whether each row that comes out stands for the worker whose row went in, and keeps that worker's weight."""

    @overload
    def __call__(self, messages: Messages) -> Messages: ...
    @overload
    def __call__(self, messages: Rows) -> Rows: ...
    def __call__(self, messages: Any) -> Any:
        if not isinstance(messages, Messages):
            rows = check_rows(self, messages)
            return like(messages, self.change(Messages.of(rows)).numbers)
        rows = check_rows(self, messages.rows)
        if len(messages.workers) != len(rows):
            raise InvalidInput(f"{self} needs one worker per row; got {len(messages.workers)} for {len(rows)} rows")
        after = self.change(messages._replace(rows=rows))
        return after._replace(rows=like(messages.rows, after.numbers))

    @abstractmethod
    def change(self, messages: Messages) -> Messages:
        """Return the messages for the next stage or the rule."""

    def init(self, model: Vector) -> State:
        """Return the memory before the first round of a master that starts at `model`."""
        return Nothing()

    def step(self, state: State, messages: Messages) -> tuple[Messages, State]:
        """Return the messages for the next stage or the rule, and the memory after the round."""
        return self.change(messages), state


class RememberingStage(Stage, Generic[S]):
    """A stage with memory: state in, state out. Called on bare rows, it answers as in its first round."""

    @abstractmethod
    def init(self, model: Vector) -> S: ...

    @abstractmethod
    def step(self, state: S, messages: Messages) -> tuple[Messages, S]: ...

    def change(self, messages: Messages) -> Messages:
        return self.step(self.init(messages.numbers[0]), messages)[0]
