"""`holdfast reproduce`: the paper's numerical section, and what others claim."""

import json
import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from holdfast.cli.reporter import Reporter
from holdfast.cli.spec_flags import add_output
from holdfast.cli.study_folder import add_resumable, open_study, resumable
from holdfast.errors import InvalidInput, unknown
from holdfast.files import write_atomic
from holdfast.runs.records import Record
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import rate_text
from holdfast.runs.workbench import SHARED
from holdfast.studies.paper.claims import judge
from holdfast.studies.paper.claims.claim import Judged, differences
from holdfast.studies.paper.figures import NAMES, YARDSTICKS, Figure, figure
from holdfast.studies.paper.findings import Reproduction
from holdfast.studies.paper.rate_search import search
from holdfast.studies.paper.rates import Rates, load_rates
from holdfast.studies.paper.theory_numbers import find_lambda0, find_theorems
from holdfast.studies.pool import Work

SEEDS, REPEATS = 3, 5
THEORY = "theory"
ALL = (*NAMES, THEORY)
"""The figures, and what the theorems say in numbers."""
KNOWN = (*ALL, *YARDSTICKS)
"""What can be asked for: also what other papers claim, which is no part of all."""


_FIGURES = f"any of {', '.join(ALL)} (default: all), or of others' claims: {', '.join(YARDSTICKS)}"


def add_flags(parser: ArgumentParser) -> None:
    parser.add_argument("figures", nargs="*", metavar="FIGURE", help=_FIGURES)
    parser.add_argument("--quick", action="store_true", help="one seed and a fifth of the rounds: shapes, not numbers")
    parser.add_argument("--seeds", type=int, metavar="N", help=f"seeds 0 to N - 1 (default {SEEDS}, or 1 if quick)")
    parser.add_argument("--data", default="mnist", metavar="NAME", help="a data set's name or file (default mnist)")
    parser.add_argument("--expect", type=Path, metavar="FILE", help="end with status 1 if a verdict is not as in FILE")
    parser.add_argument("--search", action="store_true", help="search the step sizes again, into DIR/rates.toml")
    parser.add_argument("--rates", type=Path, metavar="FILE", help="step sizes of such a search, instead of ours")
    add_resumable(parser)
    add_output(parser)


def command(arguments: Namespace) -> int:
    names = list(dict.fromkeys(arguments.figures or ALL))
    for name in names:
        if name not in KNOWN:
            raise unknown("figure", name, KNOWN)
    rates = Rates.read(arguments.rates) if arguments.rates else load_rates()
    figures = tuple(
        figure(name, None if arguments.search else rates, data=arguments.data) for name in names if name != THEORY
    )
    if arguments.quick:
        figures = tuple(each.quick() for each in figures)
    reporter = Reporter.of(arguments)

    def act(out: Path) -> int:
        if arguments.search:
            return _search(reporter, figures, rates, out, arguments)
        return _reproduce(reporter, figures, THEORY in names, out, arguments)

    return resumable(reporter, arguments, "reproduce", ("runs", "timings"), act)


def _reproduce(reporter: Reporter, figures: Sequence[Figure], theory: bool, out: Path, arguments: Namespace) -> int:
    from holdfast.report.figure_tables import heading, number_table
    from holdfast.report.reproduction_page import write_reproduction
    from holdfast.report.theorem_sections import theory_sections

    digest = SHARED.load(arguments.data).digest()
    runs, timings = (
        open_study(reporter, jobs, out / name, _line, lambda _: digest)
        for name, jobs in (("runs", arguments.jobs), ("timings", 1))
    )
    theorems = partial(find_theorems, out / "theorems.json", arguments.quick)
    consensus = partial(find_lambda0, out / "lambda0.json", arguments.data, digest)
    beside: list[Work] = [] if not theory else [theorems] if arguments.quick else [theorems, consensus]
    findings = Reproduction(tuple(figures), *_seeds(arguments)).play(runs, timings, beside)
    about = {"quick": arguments.quick, "data": arguments.data}
    sections = theory_sections(theorems()) if theory else []
    lambda0 = consensus() if consensus in beside else None
    report, results = write_reproduction(findings, judge(findings, lambda0), sections, out, about, _options(arguments))
    if arguments.json:
        print(results)
    for each in findings:
        reporter.say(heading(each))
        reporter.print_table(number_table(each).terminal())
    for judged in report.judged:
        reporter.say(f"{judged.verdict:<14} {judged.claim.name}")
    if report.judged:
        reporter.say(f"{len(report.judged)} claims: {report.summary}")
    reporter.say(f"page with figures and claims: {out / 'report.html'}")
    return _compare(reporter, report.judged, arguments.expect) if arguments.expect else 0


def _compare(reporter: Reporter, judged: Sequence[Judged], path: Path) -> int:
    """Tell which verdicts are not those on record; claims about seconds have none."""
    changes = differences(judged, path)
    for change in changes:
        reporter.say(change)
    reporter.say(f"{len(changes)} verdicts differ from {path}" if changes else f"all verdicts are those of {path}")
    return 1 if changes else 0


def _options(arguments: Namespace) -> list[str]:
    """Return the flags that results depend on."""
    seeds = [] if arguments.seeds is None else ["--seeds", str(arguments.seeds)]
    data = [] if arguments.data == "mnist" else ["--data", arguments.data]
    rates = ["--rates", str(arguments.rates)] if arguments.rates else []
    return [*(["--quick"] if arguments.quick else []), *seeds, *data, *rates]


def _search(reporter: Reporter, figures: Sequence[Figure], before: Rates, out: Path, arguments: Namespace) -> int:
    digest = SHARED.load(arguments.data).digest()
    study = open_study(reporter, arguments.jobs, out / "runs", _line, lambda _: digest)

    def play(specs: Sequence[Spec]) -> Mapping[Spec, Record]:
        reporter.inform(f"trying {len(specs)} runs of {specs[0].rounds} rounds")
        return study.record(specs)

    found = search(figures, before, play)
    write_atomic(out / "rates.toml", found.to_toml().encode())
    if arguments.json:
        print(json.dumps({name: searched.rate for name, searched in found.settings.items()}))
    for name, searched in found.settings.items():
        reporter.say(f"{searched.rate:<8g}{name}")
    reporter.say(f"use them with: --rates {shlex.quote(str(out / 'rates.toml'))}")
    return 0


def _seeds(arguments: Namespace) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the seeds of the runs, and those of the timed ones."""
    number = arguments.seeds if arguments.seeds is not None else 1 if arguments.quick else SEEDS
    if number < 1:
        raise InvalidInput(f"seeds must be at least 1; got {number}")
    return tuple(range(number)), tuple(range(1 if arguments.quick else REPEATS))


def _line(spec: Spec) -> str:
    parts = (spec.partition_text, spec.attack_text, f"q={spec.q}", spec.method_name)
    return "  ".join([*parts, f"rate {rate_text(spec.rate)}", f"seed {spec.seed}"])
