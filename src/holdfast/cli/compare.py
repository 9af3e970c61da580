"""`holdfast compare`: several methods, attacks and partitions in one table and one page."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from holdfast.cli.compiling import tell_when_compiling
from holdfast.cli.console import Speaker
from holdfast.cli.counting import counting
from holdfast.cli.folders import results_folder
from holdfast.cli.options import add_jobs, add_json, add_spec_flags, values_of
from holdfast.experiments import Result, Spec
from holdfast.experiments.comparison import compare, grid
from holdfast.experiments.spec import data_text
from holdfast.files import write_atomic
from holdfast.methods import Method, method_labels

SWEPT = {"method": ("rsa", "sgd"), "attack": ("none",), "partition": ("iid",)}
"""The fields of which several values are compared, with their defaults."""
Labels = Mapping[tuple[str, Method], str]
"""What the methods are called in each partition."""


def add_flags(parser: ArgumentParser) -> None:
    add_spec_flags(parser, without=(*SWEPT, "engine"))
    group = parser.add_argument_group("compared")
    for name, defaults in SWEPT.items():
        default = " ".join(defaults)
        group.add_argument(
            f"--{name}",
            nargs="+",
            metavar="NAME[:key=value,...]",
            help=f"{name}s; see holdfast list (default {default})",
        )
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of page and results (default: under runs/)")
    add_jobs(parser)
    add_json(parser)


def command(arguments: Namespace) -> int:
    values = values_of(arguments, without=SWEPT)
    swept = {name: getattr(arguments, name) or _in_file(name, values) for name in SWEPT}
    make = {option.name: option.metadata["make"] for option in fields(Spec) if option.name in SWEPT}
    methods, attacks, partitions = ([make[name](each) for each in given] for name, given in swept.items())
    base = Spec.of({name: value for name, value in values.items() if name not in SWEPT})
    title = f"{', '.join(method_labels(methods).values())} on {data_text(base.data)}"
    specs = grid(base, methods, attacks, partitions)
    with results_folder(arguments.out, "compare") as out:
        return show(specs, arguments, title, out)


def _in_file(name: str, values: Mapping[str, Any]) -> Sequence[Any]:
    """Return the value of a field to compare that the spec file has, else the default ones."""
    return (values[name],) if name in values else SWEPT[name]


def show(specs: Sequence[Spec], arguments: Namespace, title: str, out: Path) -> int:
    """Run the specs, print and write what they gave."""
    from holdfast.report.comparison_charts import curve_pictures
    from holdfast.report.comparison_page import comparison_page
    from holdfast.report.tables import accuracy_tables

    speaker = Speaker(to_stderr=arguments.json)
    tell_when_compiling(speaker)
    labels = _labels(specs)
    results = _with_progress(speaker, specs, labels, arguments.jobs)
    written = {"title": title, "runs": [_entry(result, labels) for result in results]}
    if arguments.json:
        print(json.dumps(written, allow_nan=False))
    for table in accuracy_tables(results):
        speaker.console.print(table)
    write_atomic(out / "results.json", json.dumps(written, allow_nan=False).encode())
    write_atomic(out / "report.html", comparison_page(title, results).encode())
    for name, picture in curve_pictures(results):
        write_atomic(out / name, picture)
    speaker.say(f"page with the curves: {out / 'report.html'}")
    return 0


def _labels(specs: Sequence[Spec]) -> Labels:
    """Return what each method is called beside the others of its partition, as in the table and on the page."""
    return {
        (partition, method): label
        for partition in {spec.partition_text for spec in specs}
        for method, label in method_labels(spec.method for spec in specs if spec.partition_text == partition).items()
    }


def _label(result: Result, labels: Labels) -> str:
    asked = result.asked or result.spec
    return labels[asked.partition_text, asked.method]


def _entry(result: Result, labels: Labels) -> dict[str, object]:
    spec = result.spec
    about = {"method": _label(result, labels), "attack": spec.attack_text, "partition": spec.partition_text}
    return about | {key: value for key, value in result.to_json().items() if key != "method"} | {"spec": spec.to_json()}


def _with_progress(speaker: Speaker, specs: Sequence[Spec], labels: Labels, jobs: int | None) -> list[Result]:
    from holdfast.report.tables import cell

    with counting(speaker) as count:

        def finished(result: Result, of: int) -> None:
            count(of)
            if not speaker.live:
                spec = result.spec
                speaker.say(f"{spec.partition_text}  {spec.attack_text}  {_label(result, labels)}  {cell(result)}")

        return compare(specs, jobs, finished)
