"""PyTorch, imported only where a network is used, and always on one thread."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from holdfast.errors import InvalidInput

Tensor = Any
"""A `torch.Tensor`. PyTorch is optional, so its types are not imported."""
Module = Any
"""A `torch.nn.Module`."""
MKL = ("MKL_CBWR", "AVX2,STRICT")
"""What makes MKL's products independent of where in memory their factors lie. It is read before the first of them."""


def library() -> Any:
    """Return the module `torch`, or say how to get it."""
    os.environ.setdefault(*MKL)
    try:
        import torch
    except ImportError:
        raise InvalidInput("a model needs PyTorch: pip install 'holdfast[torch]'; got no module named torch") from None
    return torch


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute on one thread, as was set before from then on: the last bits depend on how many there are."""
    torch = library()
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
