"""Arrays as users give them: NumPy, lists or PyTorch tensors."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from holdfast.errors import InvalidInput
from holdfast.typing import Rows

A = TypeVar("A")
F = TypeVar("F", bound=Callable[..., Any])
PLAIN = frozenset([np.ndarray, type(None)])
"""Types that are no tensors, which a round's arguments all have."""


def check_rows(rule: object, rows: Any) -> Rows:
    """Return `rows` as an `(n, d)` floating-point array, or refuse them."""
    try:
        array = np.asarray(rows.detach().cpu() if _is_tensor(rows) else rows)
    except (ValueError, TypeError) as error:
        raise InvalidInput(f"{rule} needs rows of shape (n, d); got no array: {error}") from None
    if array.ndim != 2 or 0 in array.shape:
        raise InvalidInput(f"{rule} needs rows of shape (n, d), n and d at least 1; got shape {array.shape}")
    if array.dtype not in (np.float32, np.float64):
        if not np.can_cast(array.dtype, np.float64):
            raise InvalidInput(f"{rule} needs float32 or float64 rows; got {array.dtype}")
        array = array.astype(np.float64)
    return array


def like(given: Any, array: A) -> A:
    """Return an array in the kind of what was given: a tensor on the same device, if that was one."""
    if not _is_tensor(given):
        return array
    import torch

    return cast(A, torch.from_numpy(array).to(given.device))


def tensors_too(function: F) -> F:
    """Let a method of arrays take tensors as well; it then returns a tensor."""

    @wraps(function)
    def call(self: Any, *given: Any) -> Any:
        if PLAIN.issuperset(map(type, given)) or not any(map(_is_tensor, given)):
            return function(self, *given)
        arrays = (np.asarray(each.detach().cpu()) if _is_tensor(each) else each for each in given)
        return like(next(filter(_is_tensor, given)), function(self, *arrays))

    return cast(F, call)


def _is_tensor(rows: Any) -> bool:
    return type(rows).__module__.partition(".")[0] == "torch"
