"""Flags: those of a spec are its fields, with dashes."""

import argparse
from argparse import ArgumentParser, Namespace
from collections.abc import Collection
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from holdfast.errors import InvalidInput
from holdfast.experiments.spec import Spec, read_toml


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help whose column leaves room for the longest command, which argparse measures without its indent."""

    def add_argument(self, action: argparse.Action) -> None:
        super().add_argument(action)
        longest = max((len(name) for name in action.choices or ()), default=0) if action.nargs == argparse.PARSER else 0
        self._action_max_length = max(self._action_max_length, longest + 4)


class OneLineParser(ArgumentParser):
    """A parser whose errors are one line."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=_Help, **options)

    def error(self, message: str) -> NoReturn:
        raise InvalidInput(f"{message}; see {self.prog} --help")


def add_spec_flags(parser: ArgumentParser, without: Collection[str] = ()) -> None:
    """Add the optional spec file and a flag for every field."""
    parser.add_argument("spec", nargs="?", type=Path, metavar="SPEC.toml", help="a file with any of the fields below")
    for option in fields(Spec):
        if option.name in without:
            continue
        choices = option.metadata["choices"]
        shown = "{" + ",".join(choices) + "}" if choices else option.name.upper().replace("_", "-")
        default = "" if option.default is None else f" (default {option.default})"
        parser.add_argument(
            flag(option.name),
            metavar=shown,
            default=None,
            help=option.metadata["help"].replace("%", "%%") + default,
        )


def unknown_flag(text: str, parser: ArgumentParser) -> InvalidInput:
    """Return the error for an argument that the parser could not place."""
    if not text.startswith("-"):
        return InvalidInput(f"unrecognized arguments: {text}; see {parser.prog} --help")
    known = [option for action in parser._actions for option in action.option_strings]
    name = text.partition("=")[0]
    near = "".join(f" (did you mean {flag!r}?)" for flag in get_close_matches(name, known, n=1))
    return InvalidInput(f"unknown flag {name!r}{near}; see {parser.prog} --help")


def flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def spec_of(arguments: Namespace, without: Collection[str] = ()) -> Spec:
    """Return the spec of a command line: the file's values, overridden by the flags."""
    values = read_toml(arguments.spec) if arguments.spec else {}
    names = [option.name for option in fields(Spec) if option.name not in without]
    given = {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}
    return Spec.of(values | given)


def flags_of(spec: Spec) -> list[str]:
    """Return the flags that say this spec: one for every field that is not its default."""
    told = ((option, getattr(spec, option.name)) for option in fields(Spec))
    return [word for option, value in told if value != option.default for word in (flag(option.name), _text(value))]


def _text(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
