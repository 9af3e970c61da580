from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.inputs import Inputs


def _as_it_is(given: Inputs, result: Any) -> Any:
    return np.asarray(result)


@dataclass(frozen=True)
class Way:
    """One way of computing a rule."""

    call: Callable[[Inputs], Any]
    label: str = ""
    """What tells it from the library's other ways."""
    differs: str = ""
    """What it computes instead of the rule, if it does."""
    read: Callable[[Inputs, Any], Any] = _as_it_is
    """Turns the result into an array that compares with NumPy's."""
