"""What a spec is given for its parts: texts, tables or objects; and how parts are written on a command line."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from holdfast.attacks import ATTACKS, Attack
from holdfast.data import Data, as_source, describe
from holdfast.engines.engine_options import ENGINES, EngineOptions
from holdfast.errors import InvalidInput, unknown
from holdfast.problems import MODELS, PROBLEMS, Problem

T = TypeVar("T")


class Part(Generic[T]):
    """What a type checker shall know of a part: it is given as a text, a table or an object, and is an object then."""

    if TYPE_CHECKING:

        def __get__(self, spec: object, owner: object) -> T: ...
        def __set__(self, spec: object, given: T | str | Mapping[str, Any] | Callable[..., Any]) -> None: ...


def option(section: str, default: Any, help: str) -> Any:
    """Return a field of a spec: in which section of a file it stands, and what is said of it."""
    return field(default=default, metadata={"section": section, "help": help})


def part(section: str, default: Any, help: str, make: Callable[[Any], Any], table: Callable[[Any], Any]) -> Any:
    """Return a field that is a part: how it is made of what is given, and what it puts into its section's table."""
    return field(default=default, metadata={"section": section, "help": help, "make": make, "table": table})


def make_attack(given: object) -> Attack | None:
    """Return an attack, or None for `none`."""
    if given is None or (isinstance(given, str | Mapping) and given in ("none", {"name": "none"})):
        return None
    if isinstance(given, str) and ":" not in given and given not in ATTACKS.registry:
        raise unknown("attack", given, ["none", *ATTACKS.registry, "package.module:Name"])
    return ATTACKS.make(given)


def make_data(given: Any, keys: Sequence[str]) -> Data:
    """Return a name, a table, or an object; `keys` are the others that its section may have."""
    data: Data = _unwrap_name("data", describe(given), keys)
    as_source(data)  # refuses what are no data
    return data


def make_problem(given: Any, keys: Sequence[str]) -> Any:
    """Return a name that is known, or an object; None is for the target to decide. `keys`: as with data."""
    problem = _unwrap_name("problem", given, keys)
    if problem is None:
        return None
    made = PROBLEMS.make(problem)
    if not isinstance(made, Problem) and not callable(made):
        raise InvalidInput(f"a problem must be a name, a Problem or what makes one; got {problem!r}")
    return problem


def make_model(given: object) -> Any:
    """Return what makes a network, or None for none."""
    model = None if given == "none" else given if given is None or callable(given) else MODELS.make(given)
    if model is not None and not callable(model):
        raise InvalidInput(f"a model must be a name or a function that makes a torch.nn.Module; got {model!r}")
    return model


def make_engine(given: object) -> EngineOptions:
    """Return an engine; options that once stood there, though they change what is computed, are refused by name."""
    words = [*given] if isinstance(given, Mapping) else re.split("[:,=]", given) if isinstance(given, str) else []
    if moved := [name for name in ("gradients", "chunk") if name in words]:
        raise InvalidInput(f"{moved[0]} is an option of the problem, --{moved[0]}, not of the engine; got {given!r}")
    return ENGINES.make(given)


def _unwrap_name(section: str, given: Any, keys: Sequence[str]) -> Any:
    """Return the name in a table that holds nothing else; anything but a table as it is."""
    if not isinstance(given, Mapping):
        return given
    for key in given:
        if key != "name":
            raise unknown(f"key of [{section}]", key, ["name", *keys])
    return given.get("name")


def data_text(data: Data) -> str:
    """Return data as they are written on a command line."""
    return str(as_source(data))


def data_name(data: Data) -> str:
    """Return what data are called in titles: a file without its folder and options."""
    return as_source(data).title


def data_labels(data: Iterable[Any]) -> dict[Any, str]:
    """Return what each different data set is called in titles: its name, or where two have the same, its whole text.

    >>> list(data_labels(["digits", "old/votes.npz", "new/votes.npz"]).values())
    ['digits', 'old/votes.npz', 'new/votes.npz']
    """
    different = list(dict.fromkeys(data))
    names = Counter(map(data_name, different))
    return {each: name if names[name := data_name(each)] == 1 else data_text(each) for each in different}


def problem_text(problem: Any) -> str:
    """Return a problem as it is written on a command line; nothing where the target decides."""
    if problem is None:
        return ""
    return problem if isinstance(problem, str) else PROBLEMS.name(problem)


def model_text(model: Any) -> str:
    """Return a model as it is written on a command line."""
    return "none" if model is None else MODELS.text(model)


def rate_text(rate: float | str | None) -> str:
    """Return a step size as it is written on a command line."""
    return rate if isinstance(rate, str) else f"{rate:g}"


def require_hashable(name: str, part: object) -> None:
    """Refuse what could change while it is used: equal runs are run once, and built problems are kept."""
    try:
        hash(part)
    except TypeError:
        raise InvalidInput(f"{name} must be hashable, such as a frozen dataclass; got {part!r}") from None


def require_number(value: float | str | None) -> float:
    """Return a field's number, which a resolved spec has."""
    if value is None or isinstance(value, str):
        raise InvalidInput(f"a spec must be resolved before it is used; got {value} for a number")
    return value
