"""The regulariser f0 that the master alone knows."""

from dataclasses import dataclass

from holdfast.errors import InvalidInput
from holdfast.typing import Vector


@dataclass(frozen=True)
class Ridge:
    """f0(x) = weight / 2 * |x|^2; the paper uses weight 0.01.

    >>> import numpy as np
    >>> Ridge(0.5).value(np.array([2.0, 4.0]))
    5.0
    """

    weight: float

    def __post_init__(self) -> None:
        if not 0 <= self.weight < float("inf"):
            raise InvalidInput(f"l2 must be at least 0 and finite; got {self.weight}")
        object.__setattr__(self, "weight", float(self.weight))  # a NumPy scalar would decide the model's type

    def value(self, model: Vector) -> float:
        return 0.5 * self.weight * float(model @ model)

    def gradient(self, model: Vector) -> Vector:
        return self.weight * model
