"""`holdfast init`: write a spec file that explains every key."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import Field, fields
from pathlib import Path
from textwrap import wrap
from typing import Any

import tomli_w

from holdfast.cli.reporter import Reporter
from holdfast.cli.spec_flags import add_output, add_spec_flags, format_value, read_spec
from holdfast.errors import InvalidInput
from holdfast.files import reason, write_atomic
from holdfast.runs.spec import Spec
from holdfast.runs.spec_schema import names
from holdfast.runs.spec_sections import SECTIONS

WIDTH = 100
EMBEDDED = "digits"
"""The data of a new spec if none are given: they need no fetching."""


def add_flags(parser: ArgumentParser) -> None:
    parser.add_argument(
        "file",
        nargs="?",
        type=Path,
        default=Path("spec.toml"),
        metavar="FILE",
        help="file to write (default: spec.toml)",
    )
    add_spec_flags(parser, file=False)
    add_output(parser)


def command(arguments: Namespace) -> int:
    reporter = Reporter.of(arguments)
    arguments.data = arguments.data or EMBEDDED
    path: Path = arguments.file
    content = format_spec(read_spec(arguments), path)
    if path.exists():
        raise InvalidInput(f"init writes a new file; got {path}, which is there already")
    try:
        write_atomic(path, content.encode())
    except OSError as error:
        raise InvalidInput(f"init needs a file that can be written; got {path}: {reason(error)}") from None
    reporter.say(f"written: {path}; edit it, then: holdfast run {path}")
    return 0


def format_spec(spec: Spec, path: Path) -> str:
    """Return a spec as a TOML file that explains every key; keys without a value are commented out."""
    lines = [f"# holdfast run {path}; flags override what stands here. `holdfast list` describes all names."]
    for section in SECTIONS:
        lines += ["", f"[{section}]"]
        for option in fields(Spec):
            if option.metadata["section"] == section:
                lines += _explain(option, getattr(spec, option.name), section)
    return "\n".join(lines) + "\n"


def _explain(option: Field[Any], value: Any, section: str) -> Iterator[str]:
    yield from wrap(option.metadata["help"], WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)
    if known := names(option):
        yield from wrap(", ".join(known), WIDTH, initial_indent="# known: ", subsequent_indent="#   ")
    if option.name == section:
        yield from _format_toml(option.metadata["table"](value))
    elif "table" in option.metadata:
        yield from _format_toml({option.name: format_value(option.name, value)})
    elif value is None:
        yield f"# {option.name} = ..."
    else:
        yield from _format_toml({option.name: list(value) if isinstance(value, tuple) else value})


def _format_toml(table: dict[str, Any]) -> list[str]:
    return tomli_w.dumps(table).strip().splitlines()
