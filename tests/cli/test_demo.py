"""The demo: a table that fills, and commands that go on from what was found."""

import re
from argparse import Namespace
from dataclasses import replace

import pytest
from rich.console import Console

from holdfast.attacks import REGISTRY as EVERY_ATTACK
from holdfast.cli import make_parser
from holdfast.cli.demo import next_steps
from holdfast.cli.reporter import Reporter, WorstCases
from holdfast.cli.spec_flags import read_spec
from holdfast.runs.spec import Spec
from holdfast.studies.arena_play import play_arena
from holdfast.studies.arena_presets import PRESETS
from holdfast.studies.compilation import prepare
from holdfast.studies.leaderboard import Leaderboard
from holdfast.studies.study import Study

ARENA = PRESETS["demo"].arena()


def demo_specs() -> list[Spec]:
    return [spec for bout in ARENA.bouts() for spec in ARENA.specs(bout)]


def text(filling: WorstCases) -> str:
    console = Console(width=120)
    with console.capture() as captured:
        console.print(filling.table())
    return captured.get()


def test_the_table_fills(capsys: pytest.CaptureFixture[str]) -> None:
    specs = demo_specs()
    rsa = [spec for spec in specs if spec.method_name == "rsa"]
    with Reporter().worst_cases(specs) as filling:
        assert "preparing" in text(filling)
        for place, spec in enumerate(rsa):
            filling.count(spec, 0.5 - place / 100)
        shown = text(filling)
    rows = [line.split() for line in shown.splitlines() if line.split()]
    assert ["rsa", str(len(rsa)), f"{0.51 - len(rsa) / 100:.3f}", rsa[-1].attack_text] in rows
    assert f"{len(rsa)} of {len(specs)} runs" in shown
    assert capsys.readouterr().out == "", "nothing but a terminal is shown a table that changes"


def test_every_attack_is_met_where_workers_hold_different_digits() -> None:
    specs = demo_specs()
    assert {spec.attack_text for spec in specs} == {"none", *EVERY_ATTACK}
    assert {(spec.partition_text, spec.declared) for spec in specs} == {("by-label", 8)}, "told 8 also if nobody lies"


def test_what_to_try_next_can_be_typed() -> None:
    few = replace(ARENA, base=replace(ARENA.base, rounds=2, eval_every=2), methods=ARENA.methods[:1])
    few = replace(few, attacks=few.attacks[:2])
    board = Leaderboard.of(play_arena(few, Study(1)))
    steps = next_steps(board, few.base)
    assert len(steps) == 4
    for step in steps:
        words = re.sub("    #.*", "", step).split()
        assert words[0] == "holdfast"
        arguments: Namespace = make_parser().parse_args(words[1:])
        assert arguments.command in ("run", "advise", "compare", "arena")
    told = read_spec(make_parser().parse_args(re.sub("    #.*", "", steps[0]).split()[1:]))
    assert (told.data, told.partition_text) == ("digits", "by-label")


def test_preparing_never_fails() -> None:
    specs = [replace(spec, data="nowhere.npz") for spec in demo_specs()[:2]]
    prepare(specs)
