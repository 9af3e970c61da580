"""The demo: a table that fills, and commands that go on from what was found."""

import re
from argparse import Namespace
from dataclasses import replace

import pytest
from rich.console import Console

from holdfast.cli import command_parser
from holdfast.cli.console import Speaker
from holdfast.cli.demo import next_steps
from holdfast.cli.filling import Filling
from holdfast.cli.options import spec_of
from holdfast.experiments import run
from holdfast.experiments.automatic import resolve_auto
from holdfast.experiments.compared import Comparison
from holdfast.experiments.defaults import resolved
from holdfast.experiments.demonstration import ATTACKS, METHODS, demo_specs
from holdfast.experiments.preparing import prepare


def text(filling: Filling) -> str:
    console = Console(width=120)
    with console.capture() as captured:
        console.print(filling.table())
    return captured.get()


def test_the_table_fills(capsys: pytest.CaptureFixture[str]) -> None:
    specs = demo_specs()
    with Filling(Speaker(), specs) as filling:
        assert "preparing" in text(filling)
        for spec in specs[: len(METHODS)]:
            filling.ended(spec, "0.123")
        shown = text(filling)
    rows = [line.split() for line in shown.splitlines() if line.split()]
    assert ["none", *["0.123"] * len(METHODS)] in rows
    assert sum(row[0] in ATTACKS for row in rows) == len(ATTACKS)
    assert f"{len(METHODS)} of {len(METHODS) * len(ATTACKS)} runs" in shown
    assert capsys.readouterr().out == "", "nothing but a terminal is shown a table that changes"


def test_rules_are_told_the_same_with_and_without_an_attack() -> None:
    assert {spec.declared for spec in demo_specs()} == {8}


def test_what_to_try_next_can_be_typed() -> None:
    specs = [replace(spec, rounds=2, eval_every=2) for spec in demo_specs() if spec.method_name in ("rsa", "sgd")]
    found = Comparison(tuple(specs), tuple(run(resolve_auto(resolved(spec))) for spec in specs))
    steps = next_steps(found)
    assert len(steps) == 3
    for step in steps:
        words = re.sub("    #.*", "", step).split()
        assert words[0] == "holdfast"
        arguments: Namespace = command_parser().parse_args(words[1:])
        assert arguments.command in ("run", "advise", "compare")
    told = spec_of(command_parser().parse_args(re.sub("    #.*", "", steps[0]).split()[1:]))
    assert (told.data, told.partition_text) == ("digits", "by-label")


def test_preparing_never_fails() -> None:
    specs = [replace(spec, data="nowhere.npz") for spec in demo_specs()[:2]]
    prepare(specs)
