"""`holdfast completion`: what a shell needs to complete the command, derived from its parser."""

from argparse import Action, ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from holdfast.cli.options import flag
from holdfast.runs.spec_schema import by_name


@dataclass(frozen=True)
class Words:
    """What can follow a command: its name as it is typed, commands below it, and flags with their values."""

    path: str
    below: dict[str, str]
    flags: dict[str, Action]

    def values(self, name: str) -> list[str]:
        """Return the names that may follow a flag, if its values have names."""
        named = {flag(field): known for field, known in by_name().items()}
        return named.get(name, [])


def add_flags(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="write it for this shell: " + ", ".join(SHELLS))


def command(arguments: Namespace) -> int:
    from holdfast.cli import command_parser

    print(SHELLS[arguments.shell]([*_walk(command_parser())]), end="")
    return 0


def _walk(parser: ArgumentParser) -> Iterator[Words]:
    """Yield the words of a parser and of all below it."""
    inner = [action for action in parser._actions if isinstance(action, _SubParsersAction)]
    told = {each.dest: each.help or "" for action in inner for each in action._choices_actions}
    flags = {name: action for action in parser._actions for name in action.option_strings if name.startswith("--")}
    yield Words(parser.prog, told, flags)
    for action in inner:
        for below in action.choices.values():
            yield from _walk(below)


def bash(commands: list[Words]) -> str:
    """Return a function that looks at the command so far and at the last flag, and the line that installs it."""
    lines = ["_holdfast() {", '  local current="${COMP_WORDS[COMP_CWORD]}" last="" path=holdfast words="" n']
    lines += ["  for ((n = 1; n < COMP_CWORD; n++)); do", '    case "$path ${COMP_WORDS[n]}" in']
    lines += [f'      "{each.path}") path="{each.path}" ;;' for each in commands[1:]]
    lines += ["    esac", '    case "${COMP_WORDS[n]}" in --*) last="${COMP_WORDS[n]}" ;; esac', "  done"]
    lines += ['  case "$path $last" in']
    for each in commands:
        for name in each.flags:
            if known := each.values(name):
                lines.append(f'    "{each.path} {name}") words="{" ".join(known)}" ;;')
    lines += [
        "  esac",
        '  case "$current" in -*) words="" ;; esac',
        '  if [ -z "$words" ]; then',
        '    case "$path" in',
    ]
    lines += [f'      "{each.path}") words="{" ".join([*each.below, *each.flags])}" ;;' for each in commands]
    lines += ["    esac", "  fi", '  COMPREPLY=($(compgen -W "$words" -- "$current"))', "}"]
    return "\n".join([*lines, "complete -o default -F _holdfast holdfast", ""])


def zsh(commands: list[Words]) -> str:
    """Return the same for zsh, which can use what bash has."""
    return f"autoload -U +X bashcompinit && bashcompinit\n{bash(commands)}"


def fish(commands: list[Words]) -> str:
    """Return one line for each command and each flag."""
    lines = ["complete -c holdfast -n __fish_use_subcommand -f"]
    for each in commands:
        *_, name = each.path.split()
        here = "__fish_use_subcommand" if name == "holdfast" else f"'__fish_seen_subcommand_from {name}'"
        lines += [f"complete -c holdfast -n {here} -a {word} -d {_quoted(told)}" for word, told in each.below.items()]
        for word, action in each.flags.items():
            known = each.values(word)
            takes = f" -x -a {_quoted(' '.join(known))}" if known else "" if action.nargs == 0 else " -r"
            about = _quoted((action.help or "").replace("%%", "%"))
            lines.append(f"complete -c holdfast -n {here} -l {word[2:]}{takes} -d {about}")
    return "\n".join([*lines, ""])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


SHELLS: dict[str, Callable[[list[Words]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
