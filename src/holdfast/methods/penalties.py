"""The lp-norm penalties of RSA and their subgradients (Proposition 1).

Both sides of RSA use the same object: a worker on `x_i - x0`, the master on `x0 - x_i`, row by row.
Where the subdifferential holds more than one element, ours is the one of least Euclidean norm: 0 at
the origin, and at tied maxima of l-infinity an equal share for each.

The master feeds residuals of arbitrary messages into these, so every entry has a meaning: NaN counts
as 0 (that worker abstains on that coordinate), an infinite entry as the limit of ever larger ones.
Whatever a row holds, what comes back is finite and its dual norm is at most `weight`.
"""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import inf, isinf
from typing import Annotated, Any, ClassVar, Protocol, cast, final, runtime_checkable

import numpy as np
from msgspec import Meta

from holdfast import kernels
from holdfast.arrays import tensors_too
from holdfast.conversion import convert
from holdfast.errors import InvalidInput
from holdfast.kernels import penalty_steps
from holdfast.naming import Family
from holdfast.typing import Oracle, Rows, Vector


@runtime_checkable
class OffersL1Step(Protocol):
    """An oracle that takes RSA's step with the l1 penalty in the pass that computes its gradients."""

    def l1_step(self, models: Rows, master: Vector, rate: float, penalty: float, round: int) -> Rows: ...


@cache  # asking a protocol takes 18 us, more than a hundredth of a round on MNIST
def _offers_l1_step(oracle: type) -> bool:
    return issubclass(oracle, OffersL1Step)


class Penalty(ABC):
    """weight * |x|_p, or another penalty whose subgradients, too, have a dual norm of at most `weight`.

    One of your own is a frozen dataclass with the field `weight: float = 1.0`, the `p` of its bound, and `subgradient`;
    `values` where it is not weight * |x|_p. Ours are final: their fused steps are right for them, not for a class
    derived from them.
    """

    weight: float
    p: float
    """Every subgradient's norm, in the dual of lp, is at most the weight: what one worker may pull with."""
    rotation_equivariant: ClassVar[bool] = False
    """Whether it sees lengths only: `z(V Q) == z(V) Q` for orthogonal Q."""

    def __init_subclass__(cls) -> None:
        for base in cls.__mro__[1:]:
            if vars(base).get("__final__"):
                raise TypeError(f"{base.__name__} is final, derive from Penalty; got class {cls.__name__}")

    def __post_init__(self) -> None:
        if not 0 <= self.weight < inf:
            raise InvalidInput(f"penalty must be at least 0 and finite; got {self.weight}")
        object.__setattr__(self, "weight", float(self.weight))  # a NumPy scalar would decide the rows' type

    @abstractmethod
    def subgradient(self, rows: Rows) -> Rows:
        """Return the subgradient at each row, times the weight."""

    def values(self, rows: Rows) -> Vector:
        """Return the penalty at each row; one of your own that is no lp norm says its own."""
        return np.asarray(self.weight * np.linalg.norm(rows, self.p, axis=-1))

    @tensors_too
    def pull(self, model: Vector, rows: Rows, weights: Vector | None = None) -> Vector:
        """Return the sum over the rows of the subgradients at `model - row`, times weights: the master's side."""
        found = self.subgradient(model - rows)
        total: Vector = found.sum(axis=0) if weights is None else kernels.combination(weights, found)
        return total

    def descend(self, models: Rows, master: Vector, rate: float, oracle: Oracle, round: int) -> Rows:
        """Return the models after one step of RSA's workers, on the minibatches drawn by `round`."""
        return models - rate * (oracle(models, round) + self.subgradient(models - master))


class _Compiled(Penalty):
    """A norm whose arithmetic is compiled."""

    @tensors_too
    def subgradient(self, rows: Rows) -> Rows:
        return penalty_steps.subgradients(self.p, self.weight, rows)

    @tensors_too
    def pull(self, model: Vector, rows: Rows, weights: Vector | None = None) -> Vector:
        return penalty_steps.pull(self.p, self.weight, model, rows, weights)

    def descend(self, models: Rows, master: Vector, rate: float, oracle: Oracle, round: int) -> Rows:
        return penalty_steps.steps(self.p, self.weight, models, master, oracle(models, round), rate)


@final
@dataclass(frozen=True)
class L1(_Compiled):
    """weight * |x|_1: the coordinate-wise sign (eqs. update:x:i and update:x:0).

    >>> L1(0.5).subgradient(np.array([3.0, 0.0, -2.0]))
    array([ 0.5, 0. , -0.5])
    """

    weight: float
    p = 1.0

    @tensors_too
    def subgradient(self, rows: Rows) -> Rows:
        # two comparisons instead of np.sign: NaN is neither above nor below, so it comes out as 0
        signs = np.subtract(rows > 0, rows < 0, dtype=rows.dtype)
        return self.weight * signs

    @tensors_too
    def pull(self, model: Vector, rows: Rows, weights: Vector | None = None) -> Vector:
        return self.weight * kernels.sign_sum(model, rows, weights)

    def descend(self, models: Rows, master: Vector, rate: float, oracle: Oracle, round: int) -> Rows:
        if _offers_l1_step(type(oracle)):
            return cast(OffersL1Step, oracle).l1_step(models, master, rate, self.weight, round)
        return super().descend(models, master, rate, oracle, round)


@final
@dataclass(frozen=True)
class L2(_Compiled):
    """weight * |x|_2: the direction x / |x|_2.

    >>> L2(1.0).subgradient(np.array([3.0, -4.0]))
    array([ 0.6, -0.8])
    """

    weight: float
    p = 2.0
    rotation_equivariant = True


@final
@dataclass(frozen=True)
class LInf(_Compiled):
    """weight * |x|_inf: the sign of the largest entry, shared equally where several are tied.

    >>> LInf(1.0).subgradient(np.array([2.0, -2.0, 1.0]))
    array([ 0.5, -0.5, 0. ])
    """

    weight: float
    p = inf


@final
@dataclass(frozen=True)
class Lp(Penalty):
    """weight * |x|_p for any p >= 1: z_j = sign(x_j) (|x_j| / |x|_p)^(p-1), or its limits L1 and LInf.

    >>> Lp(3, 1.0).subgradient(np.array([2.0, 2.0])).round(4)
    array([0.63, 0.63])
    """

    p: float
    weight: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.p >= 1:
            raise InvalidInput(f"Lp needs p >= 1; got p={self.p}")

    @tensors_too
    def subgradient(self, rows: Rows) -> Rows:
        if self.p in (1, inf):
            return penalty(self.p, self.weight).subgradient(rows)
        unit = _scale(rows)
        size = np.abs(unit)
        length = np.sum(size**self.p, axis=-1, keepdims=True) ** (1 / self.p)
        return self.weight * np.sign(unit) * _divide(size, length) ** (self.p - 1)


def penalty(norm: float | Penalty, weight: float) -> Penalty:
    """Return the penalty `weight * |.|_p`, or a penalty from outside with this weight.

    >>> penalty(2, 1.2), penalty(3.5, 4.0)
    (L2(weight=1.2), Lp(p=3.5, weight=4.0))
    """
    if isinstance(norm, Penalty):
        weighed: Penalty = replace(cast(Any, norm), weight=weight)
        return weighed
    if not norm >= 1:
        raise InvalidInput(f"norm must be at least 1 (inf is allowed); got {norm}")
    if norm == 1:
        return L1(weight)
    if norm == 2:
        return L2(weight)
    return LInf(weight) if isinf(norm) else Lp(norm, weight)


PENALTIES: Family[Penalty] = Family("penalty", {}, base=Penalty)
"""Penalties from outside the package, by name."""


def make_norm(given: Any) -> float | Penalty:
    """Return the p of an lp norm, or a penalty of your own: an object, a class, a table or `package.module:Name`.

    Behind a name its options are separated by semicolons: `package.module:Name:delta=2;blocks=4`.

    >>> make_norm("inf"), make_norm(2)
    (inf, 2.0)
    """
    if isinstance(given, str) and ":" in given:
        return PENALTIES.make(given.replace(";", ","))
    if isinstance(given, Penalty | Mapping) or inspect.isclass(given):
        return PENALTIES.make(given)
    try:
        number: float = convert("norm", given, Annotated[float, Meta(ge=1)])
    except InvalidInput:
        raise InvalidInput(f"norm must be a number >= 1 or package.module:Name; got {given!r}") from None
    return number


def _scale(rows: Rows) -> Rows:
    """Return the rows divided by their largest entries, so that no power over- or underflows."""
    if not np.isfinite(rows).all():
        infinite = np.isinf(rows)
        limit = np.where(infinite, np.sign(rows), 0)
        rows = np.where(infinite.any(axis=-1, keepdims=True), limit, np.where(np.isnan(rows), 0, rows))
    return _divide(rows, np.abs(rows).max(axis=-1, keepdims=True))


def _divide(rows: Rows, by: Rows) -> Rows:
    """Return `rows / by`, with 0 / 0 = 0."""
    return rows / np.where(by > 0, by, 1).astype(rows.dtype)
