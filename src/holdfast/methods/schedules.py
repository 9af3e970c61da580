"""Step sizes over the rounds: `schedule(k)` is the paper's alpha^{k+1}, k counted from 0."""

from dataclasses import dataclass
from math import sqrt

from holdfast.errors import InvalidInput
from holdfast.typing import Schedule


@dataclass(frozen=True)
class _Schedule:
    rate: float

    def __post_init__(self) -> None:
        if not 0 < self.rate < float("inf"):
            raise InvalidInput(f"rate must be positive and finite; got {self.rate}")
        object.__setattr__(self, "rate", float(self.rate))  # a NumPy scalar would decide the model's type


@dataclass(frozen=True)
class InverseSqrt(_Schedule):
    """alpha^{k+1} = rate / sqrt(k + 1), as in all of the paper's experiments.

    >>> InverseSqrt(0.003)(3)
    0.0015
    """

    def __call__(self, round: int) -> float:
        return self.rate / sqrt(round + 1)


@dataclass(frozen=True)
class Inverse(_Schedule):
    """alpha^{k+1} = rate / (k + 1), the decay of Theorem 2."""

    def __call__(self, round: int) -> float:
        return self.rate / (round + 1)


@dataclass(frozen=True)
class Constant(_Schedule):
    """alpha^{k+1} = rate."""

    def __call__(self, round: int) -> float:
        return self.rate


REGISTRY: dict[str, type[InverseSqrt | Inverse | Constant]] = {
    "inverse-sqrt": InverseSqrt,
    "inverse": Inverse,
    "constant": Constant,
}


def schedule(name: str, rate: float) -> Schedule:
    """Return the schedule of this name."""
    return REGISTRY[name](rate)
