"""Room for large arrays, used again as soon as nobody holds what was there.

A fresh array of many megabytes costs more to touch for the first time than most of our arithmetic costs to fill it:
the system hands out its pages one by one, each filled with zeros. So rows of models and gradients are laid where rows
were before that nobody can see any more: no reference to that array is left, nor to a view of it.
"""

import sys
import threading
from math import prod

import numpy as np
from numpy.typing import DTypeLike

from holdfast.typing import Rows

SMALLEST = 1 << 20
"""Bytes below which a fresh array costs nothing."""
MOST = 6
"""Arrays that are kept, used or not: those of a round with momentum, and one more."""

_kept: list[Rows] = []
_one_at_a_time = threading.Lock()


def room(shape: tuple[int, ...], dtype: DTypeLike) -> Rows:
    """Return an array to be filled, which holds anything before."""
    if prod(shape) * np.dtype(dtype).itemsize < SMALLEST:
        return np.empty(shape, dtype)
    with _one_at_a_time:
        for place in range(len(_kept)):
            if _kept[place].shape == shape and _kept[place].dtype == dtype and _unseen(place):
                _kept.append(_kept.pop(place))  # the one that was used last is let go of last
                return _kept[-1]
        fresh = np.empty(shape, dtype)
        _kept.append(fresh)
        del _kept[:-MOST]
        return fresh


def _unseen(place: int) -> bool:
    """Return whether the list alone, and the question itself, refer to an array."""
    return sys.getrefcount(_kept[place]) == ALONE


def _references() -> int:
    _kept.append(np.empty(1))
    try:
        return sys.getrefcount(_kept[-1])
    finally:
        _kept.pop()


ALONE = _references()
