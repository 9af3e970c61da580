"""Flags: those of a spec are its fields, with dashes; those of the engines are the fields of their options."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Collection, Mapping
from dataclasses import Field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from holdfast.attacks import ATTACKS
from holdfast.data import PARTITIONS
from holdfast.engines.engine_options import ENGINES, REGISTRY, EngineOptions
from holdfast.errors import InvalidInput
from holdfast.methods import method_text
from holdfast.runs.spec import Spec, read_toml
from holdfast.runs.spec_parts import data_text, make_engine, model_text, problem_text
from holdfast.runs.spec_sections import SECTIONS

TEXTS = {
    "method": method_text,
    "attack": lambda attack: "none" if attack is None else ATTACKS.text(attack),
    "data": data_text,
    "partition": PARTITIONS.text,
    "problem": problem_text,
    "model": model_text,
    "engine": ENGINES.text,
}
"""Functions that write each part of a spec as on a command line."""


ABOUT_RSA = {"method": "rsa"}
"""Defaults of the commands that are about RSA's numbers."""


def add_spec_flags(
    parser: ArgumentParser,
    without: Collection[str] = (),
    many: bool = False,
    file: bool = True,
    defaults: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Add the optional spec file and a flag for every field, by sections; with `many`, flags take several values.

    Defaults of the command stand for those of the spec.
    """
    if file:
        about = "spec file with any of the sections below; flags override it"
        parser.add_argument("spec", nargs="?", type=Path, metavar="SPEC.toml", help=about)
    types = get_type_hints(Spec)
    for section in SECTIONS:
        group = parser.add_argument_group(section)
        for option in fields(Spec):
            if option.metadata["section"] == section and option.name not in without:
                kind = types[option.name]
                choices = get_args(kind) if get_origin(kind) is Literal else ()
                group.add_argument(
                    format_flag(option.name),
                    nargs="+" if many else None,
                    metavar="{" + ",".join(choices) + "}" if choices else _format_metavar(option.name),
                    help=_format_help(option.metadata["help"], defaults.get(option.name) or _format_default(option)),
                )
        if section == "engine" and section not in without:
            _add_engine_options(group)


def add_engine_flags(parser: ArgumentParser) -> None:
    """Add the flags of the engine."""
    group = parser.add_argument_group("engine")
    group.add_argument("--engine", metavar="ENGINE", help="where workers compute from now on (default: as before)")
    _add_engine_options(group)


def _add_engine_options(group: Any) -> None:
    for name, owners in _list_engine_options().items():
        option = next(iter(owners.values()))
        about = _format_help(f"{' and '.join(owners)}: {option.metadata['help']}", _format_default(option))
        group.add_argument(format_flag(name), metavar=_format_metavar(name), help=about)


def _list_engine_options() -> dict[str, dict[str, Field[Any]]]:
    """Return every engine option, with the engines that have it."""
    found: dict[str, dict[str, Field[Any]]] = {}
    for engine, options in REGISTRY.items():
        for option in fields(options):
            found.setdefault(option.name, {})[engine] = option
    return found


def add_output(parser: ArgumentParser) -> None:
    """Add the flags of the output."""
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help="print one JSON object on stdout, and all else on stderr")
    group.add_argument("--quiet", action="store_true", help="print only how the command ended")


def add_jobs(parser: ArgumentParser) -> None:
    parser.add_argument("--jobs", type=int, metavar="N", help="number of processes (default: one per core)")


def format_flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def read_values(arguments: Namespace) -> dict[str, Any]:
    """Return the spec fields of a command line: those of the file, overridden by the flags."""
    in_file, given = read_file_and_flags(arguments)
    engine = read_engine(arguments, lambda: in_file.get("engine", Spec.engine))
    return in_file | given | ({} if engine is None else {"engine": engine})


def read_sweep(arguments: Namespace) -> dict[str, list[Any]]:
    """Return the values of each field, where every flag takes several values."""
    in_file, given = read_file_and_flags(arguments)
    return {name: [value] for name, value in in_file.items()} | given


def read_file_and_flags(arguments: Namespace) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the fields in the spec file, if there is one, and the fields of the flags.

    A flag that takes several values gives a list; a spec file among its values is known by `.toml`.
    """
    names = [option.name for option in fields(Spec)]
    flags = {name: given for name in names if (given := vars(arguments).get(name)) is not None}
    several = {name: given for name, given in flags.items() if isinstance(given, list)}
    files = [text for texts in several.values() for text in texts if _is_file(text)]
    files += filter(None, [vars(arguments).get("spec")])
    if len(files) > 1:
        raise InvalidInput(f"a command takes one spec file; got {' and '.join(map(str, files))}")
    left = {name: [text for text in texts if not _is_file(text)] for name, texts in several.items()}
    given = {name: each for name, each in (flags | left).items() if each != []}
    return read_toml(Path(files[0])) if files else {}, given


def _is_file(text: str) -> bool:
    return text.endswith(".toml")


def read_spec(arguments: Namespace, defaults: Mapping[str, str] = MappingProxyType({})) -> Spec:
    """Return the spec of a command line, with these defaults of the command."""
    return Spec.of({**defaults, **read_values(arguments)})


def read_engine(arguments: Namespace, otherwise: Callable[[], Any]) -> EngineOptions | None:
    """Return the engine of the flags, else `otherwise`, with the options of the flags; None without any flag."""
    options = _list_engine_options()
    given = {name: text for name in options if (text := vars(arguments).get(name)) is not None}
    named = vars(arguments).get("engine")
    if named is None and not given:
        return None
    engine = make_engine(otherwise() if named is None else named)
    for name, text in given.items():
        if name not in {option.name for option in fields(engine)}:
            owners, flag = list(options[name]), format_flag(name)
            raise InvalidInput(
                f"{flag} is an option of engine {' and '.join(owners)}: write --engine {owners[0]} {flag} {text}; "
                f"got engine {ENGINES.name(engine)}"
            )
    return ENGINES.make(ENGINES.table(engine) | given)


def format_flags(spec: Spec) -> list[str]:
    """Return the flags of a spec: one per field that differs from its default."""
    values = ((option, getattr(spec, option.name)) for option in fields(Spec))
    return [
        word
        for option, value in values
        if value != option.default
        for word in (format_flag(option.name), format_value(option.name, value))
    ]


def format_value(name: str, value: Any) -> str:
    """Return the value of a field as on a command line."""
    if name in TEXTS:
        return TEXTS[name](value)
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _format_metavar(name: str) -> str:
    return name.upper().replace("_", "-")


def _format_default(option: Field[Any]) -> str:
    value = option.default
    if isinstance(value, float):
        return f"{value:g}"
    return "" if value is None and option.name not in TEXTS else format_value(option.name, value)


def _format_help(text: str, default: str) -> str:
    return text.replace("%", "%%") + (f" (default {default})" if default else "")
