"""`holdfast completion`: the script with which a shell completes the command, derived from its parser."""

from argparse import PARSER, ArgumentParser, Namespace
from pathlib import Path
from shlex import quote

import shtab

from holdfast.cli.spec_flags import format_flag
from holdfast.runs.spec_schema import by_name

SHELLS = ("bash", "zsh", "fish")


def add_flags(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="write the script for this shell: " + ", ".join(SHELLS))


def command(arguments: Namespace) -> int:
    from holdfast.cli import make_parser

    parser = make_parser()
    _add_values(parser, {format_flag(field): names for field, names in by_name().items()})
    script = shtab.complete(parser, arguments.shell)
    # zsh: shtab registers its function when evaluated, and would call it when sourced
    print(f"eval {quote(script)}" if arguments.shell == "zsh" else script)
    return 0


def _add_values(parser: ArgumentParser, names: dict[str, list[str]]) -> None:
    """Let flags complete the names of their values, and paths complete files, also in the commands below."""
    for action in parser._actions:
        if action.nargs == PARSER:
            for below in dict(action.choices or {}).values():
                _add_values(below, names)
        elif action.type is Path:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        else:
            known = (names[option] for option in action.option_strings if option in names)
            action.choices = next(known, action.choices)
