"""What the families of rules share. A family is a law, and the law is tested over every member."""

from abc import ABC, abstractmethod
from typing import ClassVar, Generic, cast

from holdfast import kernels
from holdfast.aggregators.requirements import Part
from holdfast.aggregators.weighing import Weighing
from holdfast.arrays import check_rows, like
from holdfast.typing import Messages, Nothing, Rows, S, State, Vector


class Rule(Part, ABC):
    """A rule makes one vector of `(n, d)` rows, whatever some of the rows hold."""

    bounded: ClassVar[bool] = True
    """Whether the declared number of Byzantine rows, whatever they hold, moves the result by no more than a bound."""
    coordinate_wise: ClassVar[bool] = False
    """Whether the rule looks at one coordinate at a time: `A(V[:, J]) == A(V)[J]`."""

    @abstractmethod
    def __call__(self, rows: Rows) -> Vector: ...

    def init(self, model: Vector) -> State:
        """Return the memory before the first round of a master that starts at `model`."""
        return Nothing()

    def step(self, state: State, messages: Messages) -> tuple[Vector, State]:
        """Return the vector for one round, and the memory after it."""
        rows = messages.numbers
        if messages.weights is None:
            return self(rows), state
        return cast(Weighing, self).weigh(rows, messages.weights), state


class Equivariant(Rule):
    """A rule that averages: it moves and scales with the rows, `A(s V + c) == s A(V) + c`, and stays between them."""


class CoordinateWise(Equivariant):
    """An equivariant rule that looks at one coordinate at a time: `A(V[:, J]) == A(V)[J]`."""

    coordinate_wise: ClassVar[bool] = True

    def __call__(self, rows: Rows) -> Vector:
        return like(rows, self.columns(check_rows(self, rows)))

    @abstractmethod
    def columns(self, rows: Rows) -> Vector:
        """Aggregate every column of checked `(n, d)` rows."""


class Weighted(Equivariant):
    """An equivariant rule that mixes the rows by weights found from their mutual distances alone.

    Hence `A(s V Q + c) == s A(V) Q + c` for orthogonal Q. However long the weights take to find, the
    d-dimensional data are touched twice: for an n x n matrix and for the mixture.
    """

    rotation_equivariant: ClassVar[bool] = True

    def __call__(self, rows: Rows) -> Vector:
        checked_rows = check_rows(self, rows)
        return like(rows, kernels.combination(self.weights(checked_rows), checked_rows))

    @abstractmethod
    def weights(self, rows: Rows) -> Vector:
        """Return weights that sum to 1; they must depend on the rows' mutual distances only."""


class NormWise(Rule):
    """A rule that adds the rows up by factors found from their lengths alone: `A(V Q) == A(V) Q` for orthogonal Q.

    It does not move with the rows: zero is a place of its own.
    """

    rotation_equivariant: ClassVar[bool] = True

    def __call__(self, rows: Rows) -> Vector:
        checked_rows = check_rows(self, rows)
        factors = self.factors(kernels.lengths(checked_rows))
        return like(rows, kernels.combination(factors, checked_rows))

    @abstractmethod
    def factors(self, lengths: Vector) -> Vector:
        """Return one factor per row; a row with NaN, an infinity or an overflowing square is infinitely long."""


class Remembering(Rule, Generic[S]):
    """A rule with memory: state in, state out. Called on bare rows, it answers as in its first round."""

    @abstractmethod
    def init(self, model: Vector) -> S: ...

    @abstractmethod
    def step(self, state: S, messages: Messages) -> tuple[Vector, S]: ...

    def __call__(self, rows: Rows) -> Vector:
        messages = Messages.of(check_rows(self, rows))
        return like(rows, self.step(self.init(messages.model), messages)[0])


class Drawing(Remembering[Nothing]):
    """A rule that draws random numbers by seed and round. It has no memory.

    Called on bare rows, it draws as in round 0 of seed 0.
    """

    def init(self, model: Vector) -> Nothing:
        return Nothing()

    def step(self, state: Nothing, messages: Messages) -> tuple[Vector, Nothing]:
        return self.draw(messages), state

    @abstractmethod
    def draw(self, messages: Messages) -> Vector:
        """Return the vector for one round; draw by `Stream(messages.seed, ...)` and `messages.round` only."""
