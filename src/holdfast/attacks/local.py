"""Attacks that need no more than one compromised worker's own row."""

from dataclasses import dataclass

import numpy as np

from holdfast.attacks.views import LocalView
from holdfast.streams import Stream
from holdfast.typing import Rows


@dataclass(frozen=True)
class Infinite:
    """Send +infinity in every coordinate (attack a1 of the paper)."""

    def __call__(self, view: LocalView, /) -> Rows:
        return _everywhere(np.inf, view.own)


@dataclass(frozen=True)
class SameValue:
    """Send the same value in every coordinate ("Same-value attacks"; there 100)."""

    value: float = 100.0

    def __call__(self, view: LocalView, /) -> Rows:
        return _everywhere(self.value, view.own)


@dataclass(frozen=True)
class SignFlip:
    """Send the true message times a negative factor ("Sign-flipping attacks"; there -4)."""

    factor: float = -4.0

    def __call__(self, view: LocalView, /) -> Rows:
        return self.factor * view.own


@dataclass(frozen=True)
class Gaussian:
    """Send independent normal values of mean 0 and this scale ("Gaussian attacks"; there 10000)."""

    scale: float = 10000.0

    def __call__(self, view: LocalView, /) -> Rows:
        stream = Stream(view.seed, "gaussian attack")
        noise = stream.normals(view.workers, view.round, view.own.shape[-1])
        noise *= self.scale
        return noise.astype(view.own.dtype, copy=False)


def _everywhere(value: float, like: Rows) -> Rows:
    """Return rows of one value, which take no memory: as np.broadcast_to, which takes as long as the rest of a lie."""
    return np.ndarray(like.shape, like.dtype, np.array(value, like.dtype), strides=(0,) * like.ndim)


LocalAttack = Infinite | SameValue | SignFlip | Gaussian
