"""Spec files as JSON Schema, so that editors complete and check them; derived from the spec and from its parts."""

from collections.abc import Iterable
from dataclasses import Field, fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from holdfast.attacks import ATTACKS
from holdfast.data import PARTITIONS, SETS
from holdfast.engines.engine_options import ENGINES
from holdfast.methods.names import METHODS
from holdfast.naming import Family, summary
from holdfast.problems import PROBLEMS
from holdfast.runs.spec import SCHEDULES, Spec
from holdfast.runs.spec_sections import SECTIONS

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


Schema = dict[str, Any]
FROM_OUTSIDE = "package.module:Name, for code of your own, and NAME:key=value,... work as well"


def schema() -> Schema:
    """Return the schema of a spec file.

    >>> schema()["properties"]["training"]["properties"]["rounds"]["minimum"]
    1
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "a spec of holdfast",
        "type": "object",
        "additionalProperties": False,
        "properties": {section: _section(section) for section in SECTIONS},
    }


def _section(section: str) -> Schema:
    inside = {option.name: option for option in fields(Spec) if option.metadata["section"] == section}
    part = inside.pop(section, None)
    own = {name: _field(option) for name, option in inside.items()}
    if part is None:
        return {"type": "object", "additionalProperties": False, **_properties(own)}
    return {"description": part.metadata["help"], "anyOf": [{"type": "string"}, _table(part, own)]}


def _field(option: Field[Any]) -> Schema:
    about = {"description": option.metadata["help"]}
    if option.name in FAMILIES:
        return about | {"anyOf": [_name(option), _table(option, {})]}
    kind = _plain(get_type_hints(Spec, include_extras=True)[option.name])
    default = {} if option.default is None else {"default": option.default}
    known = names(option)
    return about | (kind if not known or "anyOf" in kind or "enum" in kind else kind | {"enum": known}) | default


def _table(option: Field[Any], own: Schema) -> Schema:
    """Return the schema of a part as a table: its name, the options of each, and what else stands in its section."""
    family = FAMILIES[option.name]
    options = {name: _options(option.name, name) for name in family.registry}
    every = {key: True for known in options.values() for key in known}
    return {
        "type": "object",
        **_properties(every | {"name": _name(option)} | own),
        "allOf": [
            {
                "if": {"properties": {"name": {"const": name}}, "required": ["name"]},
                "then": _properties(known) | {"propertyNames": {"enum": _list_spellings(["name", *own, *known])}},
            }
            for name, known in options.items()
        ],
        "else": {"propertyNames": {"enum": _list_spellings(own)}},
        "if": {"required": ["name"]},
    }


def _options(part: str, name: str) -> Schema:
    found = {key: _plain(kind) for key, kind in FAMILIES[part].options(name).items()}
    return found | ({"stages": True} if part == "method" else {})


def _name(option: Field[Any]) -> Schema:
    known = FAMILIES[option.name].registry
    known_names = (
        {"const": name} | ({"description": summary(known[name])} if name in known else {}) for name in names(option)
    )
    return {"anyOf": [*known_names, {"type": "string", "description": FROM_OUTSIDE}]}


def _properties(known: Schema) -> Schema:
    """Return what a table may hold; keys may be written with dashes too."""
    dashed = {f"^{key.replace('_', '-')}$": value for key, value in known.items() if "_" in key}
    return {"properties": known} | ({"patternProperties": dashed} if dashed else {})


def _list_spellings(keys: Iterable[str]) -> list[str]:
    return sorted({spelling for key in keys for spelling in (key, key.replace("_", "-"))})


def _plain(kind: Any) -> Schema:
    """Return the schema of a type; anything goes where only an object in Python has it."""
    try:
        found: Schema = msgspec.json.schema(kind)
    except TypeError:
        return {}
    return found
