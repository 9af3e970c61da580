"""`holdfast check`: which laws a part keeps, ours or from outside."""

import json
from argparse import ArgumentParser, Namespace
from typing import Any

from holdfast.cli.console import Speaker
from holdfast.errors import InvalidInput, unknown

HELP = "try the laws of its kind on a rule, attack or other part, and print the smallest counterexamples"
EXAMPLE = "holdfast check my_package.rules:Name:byzantine=2"
BROKEN = 1


def add_flags(parser: ArgumentParser) -> None:
    """Add what `holdfast check` is told."""
    parser.add_argument("part", metavar="PART", help="NAME[:key=value,...] or package.module:Name[:key=value,...]")
    parser.add_argument(
        "--kind",
        metavar="KIND",
        help="rule, stage, attack, penalty, partition, problem or method, if the part is several",
    )
    parser.add_argument(
        "--robust", action="store_true", help="a rule or stage must be robust though it is told no count"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object on stdout")


def command(arguments: Namespace) -> int:
    """Return 0 if every law holds that must, 1 if not."""
    from holdfast.testing import KINDS, named  # needs hypothesis, which the other commands do not

    if arguments.kind is not None and arguments.kind not in KINDS:
        raise unknown("kind", arguments.kind, KINDS)
    kind, part = named(arguments.part, arguments.kind)
    options: dict[str, Any] = {"robust": True} if arguments.robust else {}
    if options and kind not in ("rule", "stage"):
        raise InvalidInput(f"--robust is for rules and stages; got a {kind}")
    report = KINDS[kind].check(part, raise_on_failure=False, **options)
    if arguments.json:
        print(json.dumps(report.to_json()))
    else:
        Speaker().say(str(report))
    return 0 if report.holds else BROKEN
