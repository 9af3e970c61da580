"""`holdfast tune`: lambda, alpha and the norm by successive halving."""

import json
import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from holdfast import methods
from holdfast.cli.announcements import announce_inferences
from holdfast.cli.reporter import Reporter
from holdfast.cli.spec_flags import ABOUT_RSA, add_output, add_spec_flags, format_flags, read_spec, read_values
from holdfast.cli.study_folder import add_resumable, open_study, resumable
from holdfast.errors import InvalidInput
from holdfast.methods import Rsa
from holdfast.runs.plan import fill_defaults
from holdfast.runs.records import Record
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import data_name
from holdfast.runs.workbench import SHARED
from holdfast.studies.halving import candidates, halve
from holdfast.studies.study import Study
from holdfast.studies.tuning import Outcome, apply_winner, last_run
from holdfast.studies.validation import hold_out, write
from holdfast.theory import NORMS

ALL_NORMS = " ".join(f"{p:g}" for p in NORMS.values())
STORES = ("runs", "final")
"""Folders of the search's runs, and of the one that saw the test set."""


def add_flags(parser: ArgumentParser) -> None:
    add_spec_flags(parser, without=("engine",), defaults=ABOUT_RSA)
    parser.add_argument("--norm", nargs="+", metavar="P", help=f"rsa: norms to try (default {ALL_NORMS})")
    parser.add_argument(
        "--validation", type=float, default=0.1, metavar="SHARE", help="of the training data to choose by (default 0.1)"
    )
    parser.add_argument(
        "--points", type=int, default=5, metavar="N", help="values of lambda and of alpha, odd (default 5)"
    )
    parser.add_argument(
        "--rungs", type=int, default=3, metavar="N",
        help="all candidates for rounds / 3^(N-1), the best third for thrice that, and so on (default 3)",
    )  # fmt: skip
    add_resumable(parser)
    add_output(parser)


def command(arguments: Namespace) -> int:
    asked = read_spec(arguments, ABOUT_RSA)
    norms = _norms(asked, arguments)
    reporter = Reporter.of(arguments)

    def act(out: Path) -> int:
        _show(reporter, _search(reporter, asked, norms, out, arguments), out, arguments.json)
        return 0

    return resumable(reporter, arguments, "tune", STORES, act)


def _norms(asked: Spec, arguments: Namespace) -> list[float]:
    """Return the norms to try: of the flag, else of the method as given, else all three; one where none matters."""
    if not isinstance(asked.method, Rsa):
        if arguments.norm:
            owners = [name for name, method in methods.REGISTRY.items() if issubclass(method, Rsa)]
            raise InvalidInput(f"norm is an option of {' and '.join(owners)}; got method={asked.method_name}")
        return [Rsa().norm]
    if arguments.norm and _names_norm(arguments.method):
        raise InvalidInput(f"norms to try are given once; got --norm and --method {arguments.method}")
    if not arguments.norm and _names_norm(read_values(arguments).get("method")):
        return [asked.method.norm]
    tried: Sequence[Any] = arguments.norm or tuple(NORMS.values())
    return list(dict.fromkeys(Rsa(norm=norm).norm for norm in tried))


def _names_norm(method: Any) -> bool:
    """Return whether a method that is given as a text or a table says its norm."""
    return "norm" in method if isinstance(method, Mapping) else "norm=" in (method or "")


def _search(reporter: Reporter, asked: Spec, norms: Sequence[float], out: Path, arguments: Namespace) -> Outcome:
    full, ready = SHARED.load(asked.data), fill_defaults(asked)
    announce_inferences(reporter, [asked])
    split, file = hold_out(full, arguments.validation, asked.seed), out / "validation.npz"
    write(split, file)

    def open_folder(name: str, digest: str, jobs: int | None) -> Study:
        return open_study(reporter, jobs, out / name, _line, lambda _: digest)

    runs = open_folder("runs", split.digest(), arguments.jobs)
    final = open_folder("final", full.digest(), 1)
    with threadpool_limits(1, "blas"):
        tried = candidates(
            replace(asked, data=str(file.resolve()), scale=ready.scale, problem=ready.problem), norms, arguments.points
        )

    records: dict[Spec, Record] = {}

    def play(specs: Sequence[Spec]) -> Mapping[Spec, Record]:
        reporter.inform(f"trying {len(specs)} candidates for {specs[0].rounds} rounds")
        records.update(runs.record(specs))
        return records

    rungs = halve(tried, arguments.rungs, play)
    best = apply_winner(asked, rungs[-1].trials[0].spec)
    ending = last_run(best)
    reporter.inform("the winner on all training samples, and on the test set")
    (record,) = final.record([ending]).values()
    samples = (len(split.train_targets), len(split.test_targets))
    return Outcome(best, tuple(tried[: len(norms)]), tuple(rungs), samples, record, records)


def _line(spec: Spec) -> str:
    from holdfast.report.comparison_tables import method_flags

    return f"{spec.method_name} {method_flags(spec)}"


def _show(reporter: Reporter, outcome: Outcome, out: Path, as_json: bool) -> None:
    from holdfast.report.page import write_report
    from holdfast.report.tuning_page import (
        SHOWN,
        candidate_table,
        guessing_line,
        heat_map,
        promise,
        summary,
        tuning_page,
    )

    words = shlex.join(["holdfast", "run", *format_flags(outcome.best)])
    results = json.dumps(outcome.to_json(words), allow_nan=False)
    title = f"{outcome.best.method_name} on {data_name(outcome.best.data)}, tuned"
    page, pictures = tuning_page(title, outcome, words), heat_map(outcome).pictures(pdf=True)
    runs = {**outcome.runs, outcome.final.spec: outcome.final}
    write_report(out, page, results, pictures, runs=runs.items())
    if as_json:
        print(results)
    reporter.print_table(candidate_table(outcome, SHOWN).terminal("best candidates"))
    for line in (promise(outcome), summary(outcome), f"page with the heat map: {out / 'report.html'}"):
        reporter.say(line)
    if guesses := guessing_line(outcome):
        reporter.alarm(guesses)
    else:
        reporter.say(words)
