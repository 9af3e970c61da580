"""Things that users name with parameters, `NAME[:key=value,...]`: attacks, partitions."""

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from typing import Any, TypeVar, get_type_hints

from holdfast.errors import InvalidInput, unknown

T = TypeVar("T")


def build(kind: str, text: str, registry: Mapping[str, type[T]]) -> T:
    """Return the member of `registry` that `text` describes.

    >>> from holdfast.attacks import REGISTRY
    >>> build("attack", "sign-flip:factor=-2", REGISTRY)
    SignFlip(factor=-2.0)
    """
    name, _, arguments = text.partition(":")
    if name not in registry:
        raise unknown(kind, name, registry)
    member = registry[name]
    known = {field.name: field for field in fields(member)}  # type: ignore[arg-type]
    types = get_type_hints(member)
    values: dict[str, Any] = {}
    for argument in filter(None, arguments.split(",")):
        key, equals, value = argument.partition("=")
        if not known:
            raise InvalidInput(f"{kind} {name!r} takes no parameters; got {arguments!r}")
        if key not in known:
            raise unknown(f"parameter of {kind} {name!r}", key, known)
        if not equals:
            raise InvalidInput(f"{kind} parameters are written key=value; got {argument!r}")
        if key in values:
            raise InvalidInput(f"each parameter of {kind} {name!r} is given once; got {key} twice")
        values[key] = _number(f"{kind} parameter {key}", value, types[key])
    missing = [key for key, field in known.items() if key not in values and field.default is MISSING]
    if missing:
        raise InvalidInput(f"{kind} {name!r} needs {', '.join(missing)}; got {text!r}")
    return member(**values)


def usage(name: str, member: type) -> str:
    """Return how a member is written, with its defaults.

    >>> from holdfast.attacks import SignFlip
    >>> usage("sign-flip", SignFlip)
    'sign-flip:factor=-4.0'
    """
    parameters = ",".join(f"{field.name}={_default(field)}" for field in fields(member))
    return f"{name}:{parameters}" if parameters else name


def summary(member: object) -> str:
    """Return the first line of a member's docstring."""
    return (member.__doc__ or "").strip().splitlines()[0]


def _default(field: "Field[Any]") -> str:
    return "..." if field.default is MISSING else str(field.default)


def _number(what: str, text: str, kind: type) -> float | int:
    try:
        return int(text) if kind is int else float(text)
    except ValueError:
        noun = "a whole number" if kind is int else "a number"
        raise InvalidInput(f"{what} must be {noun}; got {text!r}") from None
