"""The names that a spec may hold: of parts, with the options of each, and of the choices among a few words."""

from dataclasses import Field, fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

from holdfast.attacks import ATTACKS
from holdfast.data import PARTITIONS, SETS
from holdfast.engines.options import ENGINES
from holdfast.experiments.spec import SCHEDULES, Spec
from holdfast.methods.names import METHODS
from holdfast.naming import Family
from holdfast.problems import PROBLEMS

FAMILIES: dict[str, Family[Any]] = {
    "method": METHODS,
    "attack": ATTACKS,
    "data": SETS,
    "partition": PARTITIONS,
    "problem": PROBLEMS,
    "engine": ENGINES,
}
"""The parts of a spec, by their field."""


def names(option: Field[Any]) -> list[str]:
    """Return what a field may be called, if its values have names.

    >>> options = {option.name: option for option in fields(Spec)}
    >>> names(options["dtype"]), names(options["rounds"])
    (['float32', 'float64'], [])
    """
    if option.name in FAMILIES:
        known = list(FAMILIES[option.name].registry)
        return ["none", *known] if option.name == "attack" else known
    if option.name == "schedule":
        return list(SCHEDULES)
    kind = get_type_hints(Spec)[option.name]
    words = [get_args(each) for each in (kind, *get_args(kind)) if get_origin(each) is Literal]
    return [str(word) for several in words for word in several]


def by_name() -> dict[str, list[str]]:
    """Return the names of every field that has some."""
    return {option.name: known for option in fields(Spec) if (known := names(option))}
