"""How commands become a parser: each is a help line, an example and a module with `add_flags` and `command`."""

import argparse
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple, NoReturn, Protocol, cast

from holdfast.errors import InvalidInput, unknown


class CommandModule(Protocol):
    """What a command is made of: a module, named after it."""

    def add_flags(self, parser: ArgumentParser, /) -> None:
        """Add the command's own arguments."""

    def command(self, arguments: Namespace, /) -> int:
        """Do it and return the exit status."""


class Command(NamedTuple):
    """A command of `holdfast`, or an action below one."""

    help: str
    example: str
    module: CommandModule | None = None
    """If not given, the module of the command's name."""

    def load(self, name: str) -> CommandModule:
        """Return what adds the flags of the command of this name, and does it."""
        return self.module or cast(CommandModule, import_module(f"{__package__}.{name}"))


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help whose column leaves room for the longest command, which argparse measures without its indent."""

    def add_argument(self, action: argparse.Action) -> None:
        super().add_argument(action)
        longest = max((len(name) for name in action.choices or ()), default=0) if action.nargs == argparse.PARSER else 0
        self._action_max_length = max(self._action_max_length, longest + 4)

    def _format_usage(self, usage: Any, actions: Any, groups: Any, prefix: Any) -> str:
        """Return one line: flags stand below, by groups."""
        behind = [action for action in actions if not action.option_strings]
        line = super()._format_usage(usage, behind, groups, prefix).rstrip()
        return f"{line} [FLAG ...]\n\n" if len(behind) < len(actions) else f"{line}\n\n"


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
    """Add one parser per command; the arguments then hold the name of the chosen one as `dest`.

    If it is known which one is `chosen`, the others get no flags, and are not loaded.
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
