"""How commands become a parser: each is a help line, an example and a module with `add_flags` and `command`."""

import argparse
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple, NoReturn, Protocol, cast

from holdfast.errors import InvalidInput, did_you_mean, nearest, unknown

RENAMED = {"--liars": "--byzantine", "--liars-work": "--byzantine-work"}
"""Flags of earlier versions, and what they are called now."""


class CommandModule(Protocol):
    """The module of a command, named after it."""

    def add_flags(self, parser: ArgumentParser, /) -> None:
        """Add the command's own arguments."""

    def command(self, arguments: Namespace, /) -> int:
        """Execute the command and return the exit status."""


class Command(NamedTuple):
    """A command of `holdfast`, or an action below one."""

    help: str
    example: str
    module: CommandModule | None = None
    """If not given, the module of the command's name."""

    def load(self, name: str) -> CommandModule:
        """Return the module of the command of this name."""
        return self.module or cast(CommandModule, import_module(f"{__package__}.{name}"))


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help whose column leaves room for the longest command, which argparse measures without its indent."""

    def add_argument(self, action: argparse.Action) -> None:
        super().add_argument(action)
        longest = max((len(name) for name in action.choices or ()), default=0) if action.nargs == argparse.PARSER else 0
        self._action_max_length = max(self._action_max_length, longest + 4)

    def _format_usage(self, usage: Any, actions: Any, groups: Any, prefix: Any) -> str:
        """Return one line: flags stand below, by groups."""
        positional = [action for action in actions if not action.option_strings]
        line = super()._format_usage(usage, positional, groups, prefix).rstrip()
        return f"{line} [FLAG ...]\n\n" if len(positional) < len(actions) else f"{line}\n\n"


class OneLineParser(ArgumentParser):
    """A parser whose errors are one line."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=_Help, **options)

    def error(self, message: str) -> NoReturn:
        raise InvalidInput(f"{message}; see {self.prog} --help")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            raise unknown(action.dest, value, action.choices)


def add_commands(parser: ArgumentParser, dest: str, commands: Mapping[str, Command], chosen: str | None = None) -> None:
    """Add one parser per command; the parsed arguments hold the command's name as `dest`.

    If `chosen` is given, only that command is loaded and gets its flags.
    """
    among = parser.add_subparsers(
        title=f"{dest}s", dest=dest, metavar=dest.upper(), required=True, parser_class=OneLineParser
    )
    for name, command in commands.items():
        example = f"example:\n  {command.example}"
        added = among.add_parser(name, help=command.help, description=command.help, epilog=example)
        if chosen in (None, name):
            command.load(name).add_flags(added)
        added.set_defaults(parser=added)


def refuse_argument(text: str, words: Sequence[str], arguments: Namespace) -> InvalidInput:
    """Return the error for an argument that fits no flag, among the words of the command line."""
    see = f"see {arguments.parser.prog} --help"
    if not text.startswith("-"):
        return InvalidInput(f"unrecognized arguments: {text}; {see}")
    known = [option for action in arguments.parser._actions for option in action.option_strings]
    name, value = _split_flag(text, words)
    if RENAMED.get(name) in known:
        return InvalidInput(f"{name} is called {RENAMED[name]} now: write {RENAMED[name]} {value}")
    options = _list_method_options(arguments.method) if "--method" in known else {}
    if name in options:
        owner = options[name].partition(":")[0]
        return InvalidInput(f"{name} is an option of {owner}: write --method {options[name]}{value}")
    near = nearest(name, [*known, *options])
    meant = f"--method {options[near]}{value}" if near in options else near
    return InvalidInput(f"unknown flag {name!r}{did_you_mean(meant)}; {see}")


def _split_flag(text: str, words: Sequence[str]) -> tuple[str, str]:
    """Return a flag and the value that follows it on the command line."""
    name, equals, value = text.partition("=")
    if equals or text not in words:
        return name, value
    after = words[words.index(text) + 1 :]
    return name, after[0] if after and not after[0].startswith("--") else "..."


def _list_method_options(asked: str | Sequence[str] | None) -> dict[str, str]:
    """Return how to write each option of a method, by the flag that it would be; options of `asked` come first."""
    from inspect import signature

    from holdfast.cli.spec_flags import format_flag
    from holdfast.methods import REGISTRY

    texts = [asked] if isinstance(asked, str) else asked or ()
    options: dict[str, str] = {}
    for text in (*texts, *REGISTRY):
        method = REGISTRY.get(text.partition(":")[0])
        for option in signature(method).parameters if method else ():
            options.setdefault(format_flag(option), f"{text}{',' if ':' in text else ':'}{option}=")
    return options
