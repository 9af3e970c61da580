"""Conversion of option values as users give them to the types of the options."""

import re
from dataclasses import fields
from functools import cache
from types import NoneType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import msgspec
import numpy as np

from holdfast.errors import InvalidInput

_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_NOUNS = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


def convert(what: str, value: Any, kind: Any) -> Any:
    """Return a value of this type; a text is read as one, a NumPy number counts as what it is.

    >>> convert("rounds", "10", int), convert("norm", "inf", float)
    (10, inf)
    """
    given, value = value, plain(value)
    try:
        found = _read(value, kind)
    except msgspec.ValidationError:
        if isinstance(given, np.ndarray) and get_origin(kind) is np.ndarray:
            return given
        raise InvalidInput(f"{what} must be {_describe(kind)}; got {value!r}") from None
    except TypeError:  # a type that only an object in Python can have
        if isinstance(value, str):
            raise InvalidInput(f"{what} must be given in Python, it cannot be written; got {value!r}") from None
        return value
    if _is_rounded(value, found):
        raise InvalidInput(f"{what} must be {_describe(kind)}; got {value!r}")
    return found


def _read(value: Any, kind: Any) -> Any:
    try:
        return msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError:
        if not isinstance(value, str) or not _NUMBER.fullmatch(value):
            raise
        # msgspec reads numbers as JSON has them, people write .5 as well
        return msgspec.convert(int(value) if _WHOLE.fullmatch(value) else float(value), kind)


def _is_rounded(value: Any, found: Any) -> bool:
    """Return whether a whole number was read from something not written as one, such as 10.0 or 1e3."""
    if isinstance(found, tuple):
        return any(map(_is_rounded, value, found))
    if type(found) is not int:  # true and false are no whole numbers
        return False
    return isinstance(value, float) or (isinstance(value, str) and not _WHOLE.fullmatch(value))


def convert_fields(part: Any) -> None:
    """Convert every field of a frozen dataclass under construction to its type, or refuse it."""
    types = field_types(part.__class__)
    for field in fields(part):
        value = convert(field.name, getattr(part, field.name), types.get(field.name, Any))
        object.__setattr__(part, field.name, value)


def plain(value: Any) -> Any:
    """Return NumPy's numbers and arrays as Python's."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return type(value)(map(plain, value)) if type(value) in (list, tuple) else value


def types_of(member: Any) -> dict[str, Any]:
    """Return the annotations of a class or function, as far as they can be resolved."""
    try:
        return get_type_hints(member, include_extras=True)
    except (NameError, TypeError):
        return {}


@cache  # finding them takes longer than converting all fields
def field_types(part: type) -> dict[str, Any]:
    """Return the types of a dataclass's fields, as far as they can be resolved."""
    return types_of(part)


def _describe(kind: Any) -> str:
    """Return a type in words.

    >>> from typing import Annotated, Literal
    >>> _describe(Annotated[float, msgspec.Meta(ge=0)] | Literal["auto"] | None)
    'a number >= 0 or auto'
    """
    inner = [each for each in get_args(kind) if each is not NoneType]
    if get_origin(kind) is Annotated:
        bounds = {">=": inner[1].ge, ">": inner[1].gt, "<=": inner[1].le, "<": inner[1].lt}
        said = " and ".join(f"{sign} {bound}" for sign, bound in bounds.items() if bound is not None)
        return f"{_describe(inner[0])} {said}"
    if get_origin(kind) is tuple:
        return f"several of them, each {_describe(inner[0])}"
    return (
        _NOUNS.get(kind)
        or " or ".join(each if isinstance(each, str) else _describe(each) for each in inner)
        or str(getattr(kind, "__name__", kind))
    )
