"""`holdfast arena`: every method under every attack, judged by the worst case."""

import json
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path

from holdfast.arena import PRESETS, Arena, Leaderboard, play_arena
from holdfast.arena.conclusions import breaking, headline
from holdfast.arena.results import results_of
from holdfast.cli.console import Speaker
from holdfast.cli.gathering import add_resumable, resumable, store_at, told
from holdfast.cli.options import add_output, add_spec_flags, values_of
from holdfast.errors import unknown
from holdfast.experiments.loading import loaded
from holdfast.experiments.spec import Spec, data_text
from holdfast.files import write_atomic

SWEPT = {"method": "methods", "attack": "attacks", "partition": "partitions", "byzantine": "byzantine"}
"""The flags that take several values, with the fields of a preset."""
OWN = (*SWEPT, "declared", "seed", "engine")
"""Fields of a spec that an arena sets itself."""


def add_flags(parser: ArgumentParser) -> None:
    add_spec_flags(parser, without=OWN)
    group = parser.add_argument_group("arena")
    group.add_argument(
        "--preset", metavar="NAME", help=f"any of {', '.join(PRESETS)} (default full); flags override it"
    )
    for name in ("method", "attack", "partition"):
        group.add_argument(f"--{name}", nargs="+", metavar="NAME[:key=value,...]", help=f"{name}s; see holdfast list")
    group.add_argument(
        "--byzantine", nargs="+", metavar="Q[:TOLD]",
        help="numbers of Byzantine workers, each with the number that rules are told if it is another",
    )  # fmt: skip
    group.add_argument("--seeds", type=int, metavar="N", help="seeds 0 to N - 1")
    add_resumable(parser)
    add_output(parser)


def command(arguments: Namespace) -> int:
    arena, speaker = arena_of(arguments), Speaker.of(arguments)
    return resumable(speaker, arguments, "arena", ("runs",), lambda out: _play(speaker, arena, out, arguments))


def arena_of(arguments: Namespace) -> Arena:
    """Return the arena of a command line: the preset's, overridden by the flags."""
    name = arguments.preset or "full"
    if name not in PRESETS:
        raise unknown("preset", name, PRESETS)
    preset = PRESETS[name]
    parts = {of: given for option, of in SWEPT.items() if (given := getattr(arguments, option))}
    base = {name: value for name, value in values_of(arguments).items() if name not in OWN}
    seeds = preset.seeds if arguments.seeds is None else arguments.seeds
    return replace(preset, **parts, base={**preset.base, **base}, seeds=seeds).arena()


def _play(speaker: Speaker, arena: Arena, out: Path, arguments: Namespace) -> int:
    store = store_at(speaker, out / "runs", loaded(arena.base.data).digest())
    conditions, bouts = len(arena.conditions()), len(arena.bouts())
    speaker.news(
        f"{len(arena.methods)} methods, {len(arena.attacks)} attacks, {conditions} conditions: {bouts} bouts of "
        f"{arena.base.rounds} rounds on {data_text(arena.base.data)}"
    )
    cells = play_arena(arena, arguments.jobs, store, lambda specs: told(speaker, specs, arguments.jobs, _line))
    show(speaker, arena, Leaderboard.of(cells), arguments, out)
    return 0


def show(speaker: Speaker, arena: Arena, board: Leaderboard, arguments: Namespace, out: Path) -> None:
    """Print and write what came of an arena."""
    from holdfast.report.arena_page import arena_page, arena_pictures, leaderboard_table

    results = json.dumps(results_of(arena, board), allow_nan=False)
    write_atomic(out / "results.json", results.encode())
    write_atomic(out / "report.html", arena_page(arena, board).encode())
    for name, picture in arena_pictures(board):
        write_atomic(out / name, picture)
    if arguments.json:
        print(results)
    speaker.table(leaderboard_table(board))
    for sentence in (headline(board), breaking(board), f"page with all cells: {out / 'report.html'}"):
        speaker.say(sentence)


def _line(spec: Spec) -> str:
    return "  ".join((spec.partition_text, f"q={spec.q}", spec.attack_text, spec.method_name, f"seed {spec.seed}"))
