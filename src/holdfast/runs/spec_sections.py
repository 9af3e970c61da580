"""A spec as a TOML file has it: by sections, each named after the part that it describes, and training."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import Field, fields
from math import isfinite
from pathlib import Path
from typing import Any

from holdfast.data import look_beside
from holdfast.engines.engine_options import Ray
from holdfast.errors import InvalidInput, unknown
from holdfast.methods import Rsa
from holdfast.typing import Json

SECTIONS = ("data", "problem", "method", "attack", "training", "engine")
Options = Sequence["Field[Any]"]
"""The fields of a spec; their metadata say in which section they stand, and how a part is written there."""


def build_tables(spec: Any) -> dict[str, Json]:
    """Return a spec by sections; what is None is left out."""
    found: dict[str, Json] = {section: {} for section in SECTIONS}
    for option in fields(spec):
        value, table = getattr(spec, option.name), found[option.metadata["section"]]
        if "table" in option.metadata:
            table.update(option.metadata["table"](value))
        elif value is not None:
            table[option.name] = list(value) if isinstance(value, tuple) else value
    return found


def read_sections(path: Path, options: Options) -> Json:
    """Return the fields in a TOML file, flat; a dash in a key is an underscore, as in flags.

    A data file is looked for beside the TOML file.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInput(f"a spec must be a readable TOML file; got {path}: {error}") from None
    values = flatten(tables, options)
    if "data" in values:
        values["data"] = look_beside(values["data"], path.parent)
    return values


def flatten(tables: Mapping[str, Any], options: Options) -> Json:
    """Return the fields in some sections; what is left in the section of a part describes the part."""
    sections: dict[str, str] = {option.name: option.metadata["section"] for option in options}
    values: dict[str, Any] = {}
    for section, given in tables.items():
        if isinstance(given, str) and section in SECTIONS and section != "training":
            values[section] = given  # a part as on the command line
            continue
        if section not in SECTIONS or not isinstance(given, Mapping):
            raise _explain_misplaced(section.replace("-", "_"), sections)
        table = {key.replace("-", "_"): value for key, value in given.items()}
        inner = {key: table.pop(key) for key in list(table) if key != section and sections.get(key) == section}
        if table and section == "training":
            known = [key for key, where in sections.items() if where == section]
            raise unknown("key of [training]", next(iter(table)), known)
        values.update(inner | ({section: table} if table else {}))
    return values


def _explain_misplaced(key: str, sections: Mapping[str, str]) -> InvalidInput:
    """Return the error for a key outside of every section, as old files have them."""
    options = {"method": Rsa, "engine": Ray}
    where = sections.get(key) or next((part for part, of in options.items() if key in _field_names(of)), None)
    key, where = {"liars": ("byzantine", "attack"), "liars_work": ("byzantine_work", "training")}.get(key, (key, where))
    if where is None:
        return unknown("section of a spec", key, SECTIONS)
    return InvalidInput(f"a spec file has sections: write {key} = ... below [{where}]; got it above all sections")


def _field_names(part: type[Rsa | Ray]) -> set[str]:
    return {option.name for option in fields(part)}


def make_finite(value: Any) -> Any:
    """Return tables as strict JSON has them: numbers that are not finite become texts."""
    if isinstance(value, Mapping):
        return {key: make_finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [make_finite(each) for each in value]
    return str(value) if isinstance(value, float) and not isfinite(value) else value
