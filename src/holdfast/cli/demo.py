"""`holdfast demo`: RSA and its rivals on data that come with the package."""

import shlex
from argparse import ArgumentParser, Namespace
from pathlib import Path

from holdfast.cli.compare import show
from holdfast.cli.console import Speaker
from holdfast.cli.filling import Filling
from holdfast.cli.folders import results_folder
from holdfast.cli.options import add_jobs, add_output, flags_of
from holdfast.experiments import compare
from holdfast.experiments.compared import Comparison
from holdfast.experiments.demonstration import demo_specs
from holdfast.experiments.preparing import preparing
from holdfast.experiments.spec import Spec

TITLE = "RSA and its rivals on the embedded digits: every two of 20 workers hold one digit, 8 are Byzantine"


def add_flags(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--out", type=Path, default=Path("demo"), metavar="DIR", help="folder of the page (default: demo)"
    )
    add_jobs(parser)
    add_output(parser)


def command(arguments: Namespace) -> int:
    from holdfast.report.tables import cell

    specs, speaker = demo_specs(), Speaker.of(arguments)
    with results_folder(arguments.out, "demo") as out:
        with preparing(specs), Filling(speaker, specs) as table:
            results = compare(specs, arguments.jobs, lambda run, _: table.ended(run.spec, cell(run)))
        status = show(results, arguments, TITLE, out)
        speaker.news("try next:")
        for line in next_steps(results):
            speaker.news(f"  {line}")
    return status


def next_steps(results: Comparison) -> list[str]:
    """Return commands that go on from here: the winner's worst case, what to set, the reader's own data."""
    from holdfast.experiments.scores import score_of
    from holdfast.report.worst import HARMLESS, competing, worst_cases

    (by_attack,) = results.tables.values()
    worst = competing(worst_cases(by_attack, score_of(results)))[0]
    spec = next(spec for spec in results.asked if spec.attack_text == worst.attack and spec.method_name == worst.method)
    plain = Spec(data=spec.data, partition=spec.partition, attack=spec.attack, byzantine=spec.byzantine)
    setting = shlex.join(flags_of(plain))
    attack = "sign-flip" if worst.attack == HARMLESS else worst.attack
    return [
        f"holdfast run {setting}    # {worst.method} in its worst case; then holdfast inspect, worker by worker",
        f"holdfast advise {shlex.join(flags_of(Spec(data=spec.data, partition=spec.partition, byzantine=8)))}",
        f"holdfast compare --data YOUR.csv --method rsa krum sgd --attack none {attack} --byzantine 4",
    ]
