"""`holdfast check`: test a part against the laws of its kind."""

import json
from argparse import ArgumentParser, Namespace
from typing import Any

from holdfast.cli.reporter import Reporter
from holdfast.cli.spec_flags import add_output
from holdfast.errors import InvalidInput, unknown

BROKEN = 1
"""The exit status when a required law does not hold."""


def add_flags(parser: ArgumentParser) -> None:
    parser.add_argument("part", metavar="PART", help="NAME[:key=value,...] or package.module:Name[:key=value,...]")
    parser.add_argument(
        "--kind",
        metavar="KIND",
        help="kind of PART, if its class does not show it: rule, stage, attack, penalty, partition, problem or method",
    )
    parser.add_argument(
        "--robust",
        action="store_true",
        help="test robustness also for a rule without a declared number of Byzantine rows",
    )
    add_output(parser)


def command(arguments: Namespace) -> int:
    from holdfast.testing import KINDS, make_named  # needs hypothesis, which no other command does

    if arguments.kind is not None and arguments.kind not in KINDS:
        raise unknown("kind", arguments.kind, KINDS)
    reporter = Reporter.of(arguments)
    kind, part = make_named(arguments.part, arguments.kind)
    if arguments.robust and kind not in ("rule", "stage"):
        raise InvalidInput(f"--robust is for rules and stages; got the {kind} {arguments.part}")
    options: dict[str, Any] = {"robust": True} if arguments.robust else {}
    report = KINDS[kind].check(part, raise_on_failure=False, **options)
    if arguments.json:
        print(json.dumps(report.to_json(), allow_nan=False))
    else:
        reporter.say(str(report))
    return 0 if report.holds else BROKEN
