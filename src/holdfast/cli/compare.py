"""`holdfast compare` and `holdfast demo`."""

import json
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from holdfast.cli.compiling import tell_when_compiling
from holdfast.cli.console import Speaker
from holdfast.cli.counting import counting
from holdfast.cli.options import spec_of
from holdfast.cli.run import new_folder
from holdfast.errors import InvalidInput
from holdfast.experiments import Result, Spec
from holdfast.experiments.comparison import compare, grid
from holdfast.experiments.demonstration import demo_specs
from holdfast.experiments.spec import read_toml
from holdfast.files import write_atomic

SWEPT = {"method": ["rsa", "sgd"], "attack": ["none"], "partition": ["iid"]}
"""The fields of which several values are compared, with their defaults."""


def command_compare(arguments: Namespace) -> int:
    base = spec_of(arguments, without=SWEPT)
    methods, attacks, partitions = (_swept(arguments, name) for name in SWEPT)
    specs = grid(base, methods, attacks, partitions)
    title = f"{', '.join(methods)} on {base.data}"
    return _show(specs, arguments, title, arguments.out or new_folder("compare"))


def _swept(arguments: Namespace, name: str) -> list[str]:
    """Return the values of a field to compare: of the flag, else of the spec file, else the default."""
    values: list[str] | None = getattr(arguments, name)
    if values is None:
        in_file = read_toml(arguments.spec).get(name) if arguments.spec else None
        values = SWEPT[name] if in_file is None else [in_file]
    return values


def command_demo(arguments: Namespace) -> int:
    title = "RSA and its rivals on the embedded digits, 8 of 20 workers Byzantine"
    return _show(demo_specs(), arguments, title, arguments.out)


def _show(specs: Sequence[Spec], arguments: Namespace, title: str, out: Path) -> int:
    from holdfast.report.comparison_charts import curve_pictures
    from holdfast.report.comparison_page import comparison_page
    from holdfast.report.tables import accuracy_tables

    speaker = Speaker(to_stderr=arguments.json)
    check_folder(out)
    tell_when_compiling(speaker)
    results = _with_progress(speaker, specs, arguments.jobs)
    written = {"title": title, "runs": [_entry(result) for result in results]}
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


def check_folder(out: Path) -> None:
    """Say before the work begins if its results could not be written."""
    nearest = next(path for path in (out, *out.parents) if path.exists())
    if not nearest.is_dir():
        raise InvalidInput(f"--out must name a folder; got {out}, and {nearest} is a file")


def _entry(result: Result) -> dict[str, object]:
    spec = result.spec
    return {"method": spec.method, "attack": spec.attack, "partition": spec.partition} | result.to_json()


def _with_progress(speaker: Speaker, specs: Sequence[Spec], jobs: int | None) -> list[Result]:
    from holdfast.report.tables import cell

    with counting(speaker) as count:

        def finished(result: Result, of: int) -> None:
            count(of)
            if not speaker.live:
                spec = result.spec
                speaker.say(f"{spec.partition}  {spec.attack}  {spec.method}  {cell(result)}")

        return compare(specs, jobs, finished)
