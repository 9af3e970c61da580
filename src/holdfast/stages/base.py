"""What every stage shares: it works on a round's messages, or on bare rows."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic, cast, overload

import numpy as np

from holdfast.arrays import checked, like
from holdfast.errors import InvalidInput
from holdfast.typing import Received, Rows, S, Vector


class Stage(ABC):
    """What is done to the messages of a round before a rule reads them: rows in, rows out.

    The number of rows may change. Each new row is a worker's number and its row as the next stage sees them.
    """

    told: ClassVar[str] = "byzantine"
    """The field, if there is one of this name, that a run fills with the number of Byzantine workers it declares."""

    cites: ClassVar[tuple[str, ...]] = ()
    """Its sources, as keys of `holdfast.citations`."""
    needs: ClassVar[tuple[int, int]] = (2, 1)
    """(a, b) such that what it claims under q lies holds from n = a q + b rows on."""
    shortens: ClassVar[bool] = False
    """Whether rows that agree need not stay what they are: it may make all of them shorter."""
    turns: ClassVar[bool] = False
    """Whether it sees lengths and angles only: `S(V Q) == S(V) Q` for orthogonal Q, and it remembers nothing."""

    @overload
    def __call__(self, messages: Received) -> Received: ...
    @overload
    def __call__(self, messages: Rows) -> Rows: ...
    def __call__(self, messages: Any) -> Any:
        if not isinstance(messages, Received):
            rows = checked(self, messages)
            return like(messages, cast(Rows, self.step(Received(rows, np.arange(1, len(rows) + 1), 0)).rows))
        rows = checked(self, messages.rows)
        if len(messages.workers) != len(rows):
            raise InvalidInput(f"{self} needs one worker per row; got {len(messages.workers)} for {len(rows)} rows")
        after = self.step(messages._replace(rows=rows))
        return after._replace(rows=like(messages.rows, cast(Rows, after.rows)))

    @abstractmethod
    def step(self, received: Received) -> Received:
        """Return the messages as the rule, or the next stage, shall see them."""


class RememberingStage(Stage, Generic[S]):
    """A stage with memory: state in, state out. Called on bare rows, it answers as in its first round."""

    @abstractmethod
    def init(self, model: Vector) -> S:
        """Return the memory before the first round of a master that starts at `model`."""

    @abstractmethod
    def remember(self, state: S, received: Received) -> tuple[Received, S]:
        """Return the messages as the rule, or the next stage, shall see them, and the memory after the round."""

    def step(self, received: Received) -> Received:
        return self.remember(self.init(cast(Rows, received.rows)[0]), received)[0]
