"""States as arrays: a NamedTuple of arrays, or of such NamedTuples, to and from what a checkpoint holds."""

from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import NDArray

from holdfast.errors import InvalidInput

Arrays = Mapping[str, NDArray[Any]]


def map_state(change: Callable[..., Any], state: Any, *others: Any) -> Any:
    """Return a state of the same kind whose arrays are what `change` makes of those of all states."""
    if not hasattr(state, "_fields"):
        return change(state, *others)
    return type(state)(*(map_state(change, *parts) for parts in zip(state, *others, strict=True)))


def arrays_of(state: Any, prefix: str = "") -> dict[str, NDArray[Any]]:
    """Return the arrays of a state by name, those of inner states with dots.

    >>> from typing import NamedTuple
    >>> Inner, Outer = NamedTuple("Inner", [("v", Any)]), NamedTuple("Outer", [("x", Any), ("memory", Any)])
    >>> sorted(arrays_of(Outer(1, Inner(2))))
    ['memory.v', 'x']
    """
    if not hasattr(state, "_fields"):
        return {prefix.removesuffix("."): state}
    parts = (arrays_of(getattr(state, name), f"{prefix}{name}.") for name in state._fields)
    return {name: array for part in parts for name, array in part.items()}


def filled(state: Any, arrays: Arrays) -> Any:
    """Return a state of the same kind with these arrays."""
    expected = arrays_of(state)
    if set(arrays) != set(expected):
        raise InvalidInput(f"a checkpoint must hold {tuple(expected)}; got {tuple(arrays)}")
    return _filled(state, arrays, "")


def _filled(state: Any, arrays: Arrays, prefix: str) -> Any:
    if not hasattr(state, "_fields"):
        return arrays[prefix.removesuffix(".")]
    return type(state)(*(_filled(getattr(state, name), arrays, f"{prefix}{name}.") for name in state._fields))
