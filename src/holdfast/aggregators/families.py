"""What the families of rules share. A family is a law, and the law is tested over every member."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic

import numpy as np

from holdfast import kernels
from holdfast.arrays import checked, like
from holdfast.typing import Received, Rows, S, Vector


class Rule(ABC):
    """What a master makes of `(n, d)` rows: one vector, whatever some of the rows hold."""

    told: ClassVar[str] = "byzantine"
    """The field, if there is one of this name, that a run fills with the number of Byzantine workers it declares."""

    @abstractmethod
    def __call__(self, rows: Rows) -> Vector: ...


class CoordinateWise(Rule):
    """A rule that looks at one coordinate at a time, and moves and scales with the rows.

    `A(V[:, J]) == A(V)[J]` and `A(s V + c) == s A(V) + c`.
    """

    def __call__(self, rows: Rows) -> Vector:
        vector: Vector = like(rows, self.columns(checked(self, rows)))
        return vector

    @abstractmethod
    def columns(self, rows: Rows) -> Vector:
        """Aggregate every column of checked `(n, d)` rows."""


class Weighted(Rule):
    """A rule that mixes the rows by weights found from their mutual distances alone.

    Hence `A(s V Q + c) == s A(V) Q + c` for orthogonal Q. However long the weights take to find, the
    d-dimensional data are touched twice: for an n x n matrix and for the mixture.
    """

    def __call__(self, rows: Rows) -> Vector:
        checked_rows = checked(self, rows)
        vector: Vector = like(rows, kernels.combination(self.weights(checked_rows), checked_rows))
        return vector

    @abstractmethod
    def weights(self, rows: Rows) -> Vector:
        """Return weights that sum to 1; they must depend on the rows' mutual distances only."""


class Remembering(Rule, Generic[S]):
    """A rule with memory: state in, state out. Called on bare rows, it answers as in its first round."""

    @abstractmethod
    def init(self, model: Vector) -> S:
        """Return the memory before the first round of a master that starts at `model`."""

    @abstractmethod
    def step(self, state: S, received: Received) -> tuple[Vector, S]:
        """Return the vector for one round, and the memory after it."""

    def __call__(self, rows: Rows) -> Vector:
        array: Any = checked(self, rows)
        received = Received(array, np.arange(1, len(array) + 1), 0)
        vector: Vector = like(rows, self.step(self.init(np.zeros_like(array[0])), received)[0])
        return vector
