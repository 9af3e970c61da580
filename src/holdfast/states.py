"""States as arrays: a tuple, named or not, of arrays or of such tuples, to and from what a checkpoint holds."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from holdfast.errors import InvalidInput
from holdfast.typing import Array

Arrays = Mapping[str, Array]


def map_state(change: Callable[..., Any], state: Any, *others: Any) -> Any:
    """Return a state of the same kind whose arrays are what `change` makes of those of all states."""
    if not isinstance(state, tuple):
        return change(state, *others)
    return _rebuild(state, [map_state(change, *parts) for parts in zip(state, *others, strict=True)])


def arrays_of(state: Any, prefix: str = "") -> dict[str, Array]:
    """Return the arrays of a state by name, those of inner states with dots; a plain tuple numbers its parts.

    >>> from typing import NamedTuple
    >>> Inner, Outer = NamedTuple("Inner", [("v", Any)]), NamedTuple("Outer", [("x", Any), ("reading", Any)])
    >>> sorted(arrays_of(Outer(1, (Inner(2),))))
    ['reading.0.v', 'x']
    """
    if not isinstance(state, tuple):
        return {prefix.removesuffix("."): state}
    parts = (arrays_of(part, f"{prefix}{name}.") for name, part in _name_parts(state))
    return {name: array for part in parts for name, array in part.items()}


def fill_state(state: Any, arrays: Arrays) -> Any:
    """Return a state of the same kind with these arrays."""
    expected = arrays_of(state)
    if set(arrays) != set(expected):
        raise InvalidInput(f"a checkpoint must hold {tuple(expected)}; got {tuple(arrays)}")
    return _fill(state, arrays, "")


def _fill(state: Any, arrays: Arrays, prefix: str) -> Any:
    if not isinstance(state, tuple):
        return arrays[prefix.removesuffix(".")]
    return _rebuild(state, [_fill(part, arrays, f"{prefix}{name}.") for name, part in _name_parts(state)])


def _name_parts(state: tuple[Any, ...]) -> Iterable[tuple[object, Any]]:
    """Return the parts of a state with their names, or with their places in a plain tuple."""
    return zip(getattr(state, "_fields", range(len(state))), state, strict=True)


def _rebuild(state: tuple[Any, ...], parts: list[Any]) -> tuple[Any, ...]:
    return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)
