"""`holdfast reproduce`: the paper's numerical section, and what others claim."""

import json
import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from holdfast.cli.console import Speaker
from holdfast.cli.gathering import add_resumable, resumable, store_at, told
from holdfast.cli.options import add_output
from holdfast.errors import InvalidInput, unknown
from holdfast.files import write_atomic
from holdfast.runs.problem_building import loaded
from holdfast.runs.records import Record
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import rate_text
from holdfast.studies.paper.claims import judge
from holdfast.studies.paper.claims.claim import Judged, differences
from holdfast.studies.paper.figures import NAMES, YARDSTICKS, Figure, figure
from holdfast.studies.paper.findings import Plan
from holdfast.studies.paper.rate_search import search
from holdfast.studies.paper.rates import Rates, recorded
from holdfast.studies.paper.theory_numbers import kept_lambda0, kept_theorems
from holdfast.studies.pool import Work
from holdfast.studies.store import Store
from holdfast.studies.study import gather

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
    rates = Rates.read(arguments.rates) if arguments.rates else recorded()
    figures = tuple(
        figure(name, None if arguments.search else rates, data=arguments.data) for name in names if name != THEORY
    )
    if arguments.quick:
        figures = tuple(each.quick() for each in figures)
    speaker = Speaker.of(arguments)

    def act(out: Path) -> int:
        if arguments.search:
            return _search(speaker, figures, rates, out, arguments)
        return _reproduce(speaker, figures, THEORY in names, out, arguments)

    return resumable(speaker, arguments, "reproduce", ("runs", "timings"), act)


def _reproduce(speaker: Speaker, figures: Sequence[Figure], theory: bool, out: Path, arguments: Namespace) -> int:
    from holdfast.report.figure_tables import heading, number_table
    from holdfast.report.reproduction_page import write_reproduction
    from holdfast.report.theorem_sections import theory_sections

    plan = Plan(tuple(figures), *_seeds(arguments))
    runs, timings = (_store(speaker, out / name, arguments.data) for name in ("runs", "timings"))
    theorems = partial(kept_theorems, out / "theorems.json", arguments.quick)
    consensus = partial(kept_lambda0, out / "lambda0.json", arguments.data, runs.data_sha256)
    beside: list[Work] = [] if not theory else [theorems] if arguments.quick else [theorems, consensus]
    with told(speaker, [*plan.runs(), *plan.timed()], arguments.jobs, _line) as arrived:
        findings = plan.conduct(arguments.jobs, runs, timings, arrived, beside)
    about = {"quick": arguments.quick, "data": arguments.data}
    sections = theory_sections(theorems()) if theory else []
    lambda0 = consensus() if consensus in beside else None
    report, results = write_reproduction(findings, judge(findings, lambda0), sections, out, about, _options(arguments))
    if arguments.json:
        print(results)
    for each in findings:
        speaker.say(heading(each))
        speaker.table(number_table(each).terminal())
    for judged in report.judged:
        speaker.say(f"{judged.verdict:<14} {judged.claim.name}")
    if report.judged:
        speaker.say(f"{len(report.judged)} claims: {report.summary}")
    speaker.say(f"page with figures and claims: {out / 'report.html'}")
    return _compare(speaker, report.judged, arguments.expect) if arguments.expect else 0


def _compare(speaker: Speaker, judged: Sequence[Judged], path: Path) -> int:
    """Tell which verdicts are not those on record; claims about seconds have none."""
    changes = differences(judged, path)
    for change in changes:
        speaker.say(change)
    speaker.say(f"{len(changes)} verdicts differ from {path}" if changes else f"all verdicts are those of {path}")
    return 1 if changes else 0


def _options(arguments: Namespace) -> list[str]:
    """Return the flags that results depend on."""
    seeds = [] if arguments.seeds is None else ["--seeds", str(arguments.seeds)]
    data = [] if arguments.data == "mnist" else ["--data", arguments.data]
    rates = ["--rates", str(arguments.rates)] if arguments.rates else []
    return [*(["--quick"] if arguments.quick else []), *seeds, *data, *rates]


def _search(speaker: Speaker, figures: Sequence[Figure], before: Rates, out: Path, arguments: Namespace) -> int:
    store = _store(speaker, out / "runs", arguments.data)

    def gathered(specs: Sequence[Spec]) -> Mapping[Spec, Record]:
        speaker.news(f"trying {len(specs)} runs of {specs[0].rounds} rounds")
        with told(speaker, specs, arguments.jobs, _line) as arrived:
            return gather(specs, arguments.jobs, store, arrived)

    found = search(figures, before, gathered)
    write_atomic(out / "rates.toml", found.to_toml().encode())
    if arguments.json:
        print(json.dumps({name: searched.rate for name, searched in found.settings.items()}))
    for name, searched in found.settings.items():
        speaker.say(f"{searched.rate:<8g}{name}")
    speaker.say(f"use them with: --rates {shlex.quote(str(out / 'rates.toml'))}")
    return 0


def _seeds(arguments: Namespace) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the seeds of the runs, and those of the timed ones."""
    number = arguments.seeds if arguments.seeds is not None else 1 if arguments.quick else SEEDS
    if number < 1:
        raise InvalidInput(f"seeds must be at least 1; got {number}")
    return tuple(range(number)), tuple(range(1 if arguments.quick else REPEATS))


def _store(speaker: Speaker, folder: Path, data: str) -> Store:
    return store_at(speaker, folder, loaded(data).digest())


def _line(spec: Spec) -> str:
    parts = (spec.partition_text, spec.attack_text, f"q={spec.q}", spec.method_name)
    return "  ".join([*parts, f"rate {rate_text(spec.rate)}", f"seed {spec.seed}"])
