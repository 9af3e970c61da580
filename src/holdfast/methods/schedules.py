"""Step sizes over the rounds: `schedule(k)` is the paper's alpha^{k+1}, k counted from 0."""

from dataclasses import dataclass
from math import cos, pi, sqrt

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


@dataclass(frozen=True)
class ToZero(_Schedule):
    """A schedule that ends near 0 after so many `rounds`, as networks like it."""

    rounds: int


@dataclass(frozen=True)
class ConstantThenLinear(ToZero):
    """alpha^{k+1} = rate for half of the rounds K, then rate (K - k) / (K / 2).

    >>> falling = ConstantThenLinear(0.1, rounds=8)
    >>> [falling(k) for k in range(8)]
    [0.1, 0.1, 0.1, 0.1, 0.1, 0.07500000000000001, 0.05, 0.025]
    """

    def __call__(self, round: int) -> float:
        return self.rate * min(1.0, max(self.rounds - round, 0) / (self.rounds / 2))


@dataclass(frozen=True)
class Cosine(ToZero):
    """alpha^{k+1} = rate (1 + cos(pi k / K)) / 2, K the number of rounds (Loshchilov and Hutter, 2017)."""

    def __call__(self, round: int) -> float:
        return self.rate * (1 + cos(pi * min(round / self.rounds, 1.0))) / 2


REGISTRY: dict[str, type[InverseSqrt | Inverse | Constant | ConstantThenLinear | Cosine]] = {
    "inverse-sqrt": InverseSqrt,
    "inverse": Inverse,
    "constant": Constant,
    "constant-then-linear": ConstantThenLinear,
    "cosine": Cosine,
}


def schedule(name: str, rate: float, rounds: int) -> Schedule:
    """Return the schedule of this name for a run of so many rounds."""
    kind = REGISTRY[name]
    return kind(rate, rounds) if issubclass(kind, ToZero) else kind(rate)
