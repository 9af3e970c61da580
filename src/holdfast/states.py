"""States as arrays: a tuple, named or not, of arrays or of such tuples, to and from what a checkpoint holds."""

from collections.abc import Callable, Mapping
from typing import Any

from holdfast.errors import InvalidInput
from holdfast.typing import Array

Arrays = Mapping[str, Array]


def map_state(change: Callable[..., Any], state: Any, *others: Any) -> Any:
    """Return a state of the same kind whose arrays are what `change` makes of those of all states."""
    if not isinstance(state, tuple):
        return change(state, *others)
    parts = [map_state(change, *parts) for parts in zip(state, *others, strict=True)]
    return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)


def arrays_of(state: Any, prefix: str = "") -> dict[str, Array]:
    """Return the arrays of a state by name, those of inner states with dots; a plain tuple numbers its parts.

    >>> from typing import NamedTuple
    >>> Inner, Outer = NamedTuple("Inner", [("v", Any)]), NamedTuple("Outer", [("x", Any), ("reading", Any)])
    >>> sorted(arrays_of(Outer(1, (Inner(2),))))
    ['reading.0.v', 'x']
    """
    if not isinstance(state, tuple):
        return {prefix.removesuffix("."): state}
    names = getattr(state, "_fields", range(len(state)))
    parts = (arrays_of(part, f"{prefix}{name}.") for name, part in zip(names, state, strict=True))
    return {name: array for part in parts for name, array in part.items()}


def fill_state(state: Any, arrays: Arrays) -> Any:
    """Return a state of the same kind with these arrays."""
    expected = arrays_of(state)
    if set(arrays) != set(expected):
        raise InvalidInput(f"a checkpoint must hold {tuple(expected)}; got {tuple(arrays)}")
    names = iter(expected)  # in the order in which `map_state` comes to them
    return map_state(lambda array: arrays[next(names)], state)
