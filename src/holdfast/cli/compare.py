"""`holdfast compare`: every combination of several values, in one table and one page."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

from holdfast.cli.announcements import announce_inferences, announce_numbers
from holdfast.cli.reporter import Reporter
from holdfast.cli.spec_flags import add_output, add_spec_flags, read_sweep
from holdfast.cli.study_folder import add_resumable, open_store, resumable
from holdfast.methods import DEFAULT, method_labels
from holdfast.runs.cautions import count_kinds
from holdfast.runs.records import Record
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import data_name
from holdfast.studies.comparison import compare
from holdfast.studies.store import DataDigests
from holdfast.studies.study import Keeper, grid
from holdfast.studies.table import Comparison

DEFAULTS = {"method": (DEFAULT, "rsa", "sgd"), "attack": ("none",), "partition": ("iid",)}
"""What is compared where neither flags nor the spec file say it."""
FAILED = 1
"""The exit status when a run failed: the others are in the tables."""


def add_flags(parser: ArgumentParser) -> None:
    add_spec_flags(parser, without=("engine",), many=True)
    add_resumable(parser)
    add_output(parser)


def command(arguments: Namespace) -> int:
    specs = specs_of(arguments)
    data = ", ".join(dict.fromkeys(data_name(spec.data) for spec in specs))
    title = f"{', '.join(method_labels(spec.method for spec in specs).values())} on {data}"
    reporter = Reporter.of(arguments)

    def act(out: Path) -> int:
        store = open_store(reporter, out / "runs", DataDigests())
        return show(_with_progress(reporter, specs, arguments.jobs, store), arguments, title, out)

    return resumable(reporter, arguments, "compare", ("runs",), act)


def specs_of(arguments: Namespace) -> list[Spec]:
    """Return every combination of the values that are given."""
    swept = DEFAULTS | read_sweep(arguments)
    make = {option.name: option.metadata.get("make", lambda given: given) for option in fields(Spec)}
    made = {name: [make[name](each) for each in values] for name, values in swept.items()}
    parts = [made.pop(name) for name in DEFAULTS]
    single = {name: made.pop(name)[0] for name in [*made] if len(made[name]) == 1}
    # the first of the others are only replaced: an attack may need them
    base = Spec.of(single | {name: values[0] for name, values in made.items()})
    return list(dict.fromkeys(grid(base, *parts, **made)))


def show(results: Comparison, arguments: Namespace, title: str, out: Path) -> int:
    """Print and write what came of a comparison; return the exit status."""
    from holdfast.report.comparison_page import comparison_page, comparison_pictures
    from holdfast.report.comparison_tables import terminal_tables
    from holdfast.report.page import write_report
    from holdfast.report.worst_cases import conclusions, headline, list_guessers

    reporter = Reporter.of(arguments)
    written = {"title": title, "cells": results.rows(), "runs": _entries(results)}
    if arguments.json:
        print(json.dumps(written, allow_nan=False))
    for table in terminal_tables(results):
        reporter.print_table(table)
    page, pictures = comparison_page(title, results), comparison_pictures(results)
    runs = zip(results.asked, results.runs, strict=True)
    write_report(out, page, json.dumps(written, allow_nan=False), pictures, runs=runs)
    failed = {name: run.failed for name, run in zip(results.names().values(), results.runs, strict=True) if run.failed}
    for name, why in failed.items():
        reporter.say(f"failed: {name}: {why}")
    for text, count in count_kinds(text for run in results.runs for text in run.warnings).items():
        reporter.say(f"warning: {text} ({count} of {len(results.runs)} runs{' alike' if count > 1 else ''})")
    for line in list_guessers(results.tables):
        reporter.alarm(line)
    for sentence in (headline(results.tables), *conclusions(results.tables)):
        reporter.say(sentence)
    reporter.say(f"page with the curves: {out / 'report.html'}")
    return FAILED if failed else 0


def _entries(results: Comparison) -> list[dict[str, Any]]:
    return [
        {"method": place.method, "attack": run.spec.attack_text, "partition": place.partition}
        | {key: value for key, value in run.to_json().items() if key != "method"}
        | {"spec": run.spec.to_json()}
        for place, run in zip(results.places, results.runs, strict=True)
    ]


def _with_progress(reporter: Reporter, specs: Sequence[Spec], jobs: int | None, store: Keeper | None) -> Comparison:
    from holdfast.report.comparison_tables import result_text

    def finish(record: Record, name: str) -> None:
        reporter.count(f"{name}  {result_text(record)}")

    announce_inferences(reporter, specs)
    return compare(
        specs,
        jobs,
        finish,
        prepared=partial(announce_numbers, reporter, specs),
        store=store,
        progress=reporter.runs_bar(jobs),
    )
