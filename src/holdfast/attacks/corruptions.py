"""Corrupted messages: one value everywhere, noise, flipped signs or bits, lost replies. A worker sends them alone."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from holdfast.attacks.threats import LocalAttack, LocalView
from holdfast.streams import Stream
from holdfast.typing import Rows


@dataclass(frozen=True)
class Infinite(LocalAttack):
    """Send +infinity in every coordinate (attack a1 of the paper)."""

    cites = ("li2019rsa",)

    uses_own = False

    def __call__(self, view: LocalView, /) -> Rows:
        return fill_rows(np.inf, view.own)


@dataclass(frozen=True)
class SameValue(LocalAttack):
    """Send the same value in every coordinate ("Same-value attacks"; there 100)."""

    cites = ("li2019rsa",)

    value: float = 100.0
    uses_own = False

    def __call__(self, view: LocalView, /) -> Rows:
        return fill_rows(self.value, view.own)


def fill_rows(value: float, like: Rows) -> Rows:
    """Return rows of one value that take no memory, as np.broadcast_to does, in a fraction of its time."""
    return np.ndarray(like.shape, like.dtype, np.array(value, like.dtype), strides=(0,) * like.ndim)


@dataclass(frozen=True)
class Gaussian(LocalAttack):
    """Send independent normal values of mean 0 and this scale ("Gaussian attacks"; there 10000)."""

    cites = ("li2019rsa",)

    scale: float = 10000.0
    uses_own = False

    def __call__(self, view: LocalView, /) -> Rows:
        stream = Stream(view.seed, "gaussian attack")
        noise = stream.normals(view.workers, view.round, view.own.shape[-1])
        noise *= self.scale
        return noise.astype(view.own.dtype, copy=False)


@dataclass(frozen=True)
class SignFlip(LocalAttack):
    """Send the true message times a negative factor ("Sign-flipping attacks"; there -4)."""

    cites = ("li2019rsa",)

    factor: float = -4.0

    def caution(self) -> str | None:
        return (
            f"sign-flip with factor={self.factor:g} flips no sign: a factor below 0 does" if self.factor >= 0 else None
        )

    def __call__(self, view: LocalView, /) -> Rows:
        return self.factor * view.own


@dataclass(frozen=True)
class BitFlip(LocalAttack):
    """Flip one bit of every number of the true message, as a faulty memory or line does.

    `bit=sign` turns every number round, which the literature calls bit flipping; `bit=random` flips one bit of each
    number, uniformly among all that its type has, drawn anew for every worker and round: exponents too, so that
    numbers may come out huge, infinite or NaN.

    >>> BitFlip()(LocalView(np.array([[1.5, -2.0]]), np.zeros(2), np.array([3]), 0, 0))
    array([[-1.5,  2. ]])
    """

    bit: Literal["sign", "random"] = "sign"

    def __call__(self, view: LocalView, /) -> Rows:
        if self.bit == "sign":
            return -view.own
        size = view.own.dtype.itemsize
        word = np.dtype(f"u{size}").type
        drawn = Stream(view.seed, "bit flip").words(view.workers, view.round, view.own.shape[-1])
        mask = word(1) << (drawn % np.uint64(8 * size)).astype(word)
        flipped: Rows = (np.ascontiguousarray(view.own).view(word) ^ mask).view(view.own.dtype)
        return flipped


@dataclass(frozen=True)
class Dropped(LocalAttack):
    """Send what pulls the master nowhere: the master's own model, or a gradient of 0, as of a reply that was lost.

    >>> Dropped()(LocalView(np.ones((2, 1)), np.array([5.0]), np.array([3, 4]), 0, 0))
    array([[5.], [5.]])
    """

    uses_own = False

    def __call__(self, view: LocalView, /) -> Rows:
        return np.broadcast_to(view.neutral.astype(view.own.dtype), view.own.shape)
