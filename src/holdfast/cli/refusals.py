"""What is said of an argument that no flag fits."""

from argparse import Namespace
from collections.abc import Sequence
from inspect import signature

from holdfast.cli.options import flag
from holdfast.errors import InvalidInput, did_you_mean, nearest
from holdfast.methods import REGISTRY

RENAMED = {"--liars": "--byzantine", "--liars-work": "--byzantine-work"}
"""Flags of earlier versions, and what they are called now."""


def unknown_argument(text: str, words: Sequence[str], arguments: Namespace) -> InvalidInput:
    """Return the error for an argument that the command could not place, among the words of the command line."""
    see = f"see {arguments.parser.prog} --help"
    if not text.startswith("-"):
        return InvalidInput(f"unrecognized arguments: {text}; {see}")
    known = [option for action in arguments.parser._actions for option in action.option_strings]
    name, value = _said(text, words)
    if RENAMED.get(name) in known:
        return InvalidInput(f"{name} is called {RENAMED[name]} now: write {RENAMED[name]} {value}")
    options = _method_options(arguments.method) if "--method" in known else {}
    if name in options:
        owner = options[name].partition(":")[0]
        return InvalidInput(f"{name} is an option of {owner}: write --method {options[name]}{value}")
    near = nearest(name, [*known, *options])
    meant = f"--method {options[near]}{value}" if near in options else near
    return InvalidInput(f"unknown flag {name!r}{did_you_mean(meant)}; {see}")


def _said(text: str, words: Sequence[str]) -> tuple[str, str]:
    """Return a flag and the value that was given to it, whatever the parser made of the latter."""
    name, equals, value = text.partition("=")
    if equals or text not in words:
        return name, value
    after = words[words.index(text) + 1 :]
    return name, after[0] if after and not after[0].startswith("--") else "..."


def _method_options(given: str | Sequence[str] | None) -> dict[str, str]:
    """Return how each option of a method is written, by the flag that it would be; first for the methods asked for."""
    asked = [given] if isinstance(given, str) else given or ()
    found: dict[str, str] = {}
    for text in (*asked, *REGISTRY):
        method = REGISTRY.get(text.partition(":")[0])
        for option in signature(method).parameters if method else ():
            found.setdefault(flag(option), f"{text}{',' if ':' in text else ':'}{option}=")
    return found
