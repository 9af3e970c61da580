"""`holdfast arena`: every method under every attack, judged by the worst case."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from math import inf
from pathlib import Path

from holdfast.arena import PRESETS, Arena, Leaderboard, choose_factors, play_arena
from holdfast.arena.conclusions import breaking, headline
from holdfast.arena.presets import Preset
from holdfast.arena.results import results_of
from holdfast.cli.console import Speaker
from holdfast.cli.gathering import add_resumable, resumable, store_at, told
from holdfast.cli.options import add_output, add_spec_flags, values_of
from holdfast.errors import InvalidInput, unknown
from holdfast.experiments.defaults import resolved
from holdfast.experiments.gathering import Arrived
from holdfast.experiments.given import data_text
from holdfast.experiments.loading import loaded
from holdfast.experiments.spec import Spec
from holdfast.files import write_atomic
from holdfast.tuning import hold_out
from holdfast.tuning.validation import write

SWEPT = {"method": "methods", "attack": "attacks", "partition": "partitions", "byzantine": "byzantine"}
"""The flags that take several values, with the fields of a preset."""
OWN = (*SWEPT, "declared", "seed", "engine")
"""Fields of a spec that an arena sets itself."""


STORES = ("tries", "runs")
"""Folders of the runs that step sizes were chosen by, and of those that saw the test set."""
HELD_OUT = 0.1
"""The share of the training samples that step sizes are chosen by."""


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
    group.add_argument(
        "--factors", nargs="+", type=float, metavar="F",
        help="multiples of the step size, of which each method takes the best on held-out training samples",
    )  # fmt: skip
    add_resumable(parser)
    add_output(parser)


def command(arguments: Namespace) -> int:
    arena, speaker = arena_of(arguments), Speaker.of(arguments)
    return resumable(speaker, arguments, "arena", STORES, lambda out: _play(speaker, arena, out, arguments))


def _preset(arguments: Namespace) -> Preset:
    name = arguments.preset or "full"
    if name not in PRESETS:
        raise unknown("preset", name, PRESETS)
    return PRESETS[name]


def factors_of(arguments: Namespace) -> tuple[float, ...]:
    """Return the factors that each method may choose from; none where every step size is the rule's."""
    factors = tuple(arguments.factors or _preset(arguments).factors)
    if not all(0 < factor < inf for factor in factors):
        raise InvalidInput(f"--factors must be positive and finite; got {' '.join(map(str, factors))}")
    return factors


def arena_of(arguments: Namespace) -> Arena:
    """Return the arena of a command line: the preset's, overridden by the flags."""
    preset = _preset(arguments)
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
    factors = factors_of(arguments)

    def telling(specs: Sequence[Spec]) -> AbstractContextManager[Arrived]:
        return told(speaker, specs, arguments.jobs, _line)

    chosen = {}
    if len(factors) > 1:
        split, file = hold_out(loaded(arena.base.data), HELD_OUT, max(arena.seeds) + 1), out / "validation.npz"
        write(split, file)
        ready = resolved(arena.base)
        held_out = replace(arena.base, data=str(file.resolve()), scale=ready.scale, problem=ready.problem)
        tries = store_at(speaker, out / "tries", split.digest())
        speaker.news(f"step sizes first: each method tries {len(factors)} on samples held back from training")
        chosen = choose_factors(arena, factors, held_out, arguments.jobs, tries, telling)
    cells = play_arena(arena, arguments.jobs, store, telling, chosen)
    show(speaker, arena, Leaderboard.of(cells), arguments, out, factors)
    return 0


def show(
    speaker: Speaker,
    arena: Arena,
    board: Leaderboard,
    arguments: Namespace,
    out: Path,
    factors: Sequence[float] = (),
) -> None:
    """Print and write what came of an arena."""
    from holdfast.report.arena_page import arena_page, arena_pictures, leaderboard_table

    results = json.dumps(results_of(arena, board, factors), allow_nan=False)
    write_atomic(out / "results.json", results.encode())
    write_atomic(out / "report.html", arena_page(arena, board, factors).encode())
    for name, picture in arena_pictures(board):
        write_atomic(out / name, picture)
    if arguments.json:
        print(results)
    speaker.console.print(leaderboard_table(board))
    for sentence in (headline(board), breaking(board), f"page with all cells: {out / 'report.html'}"):
        speaker.say(sentence)


def _line(spec: Spec) -> str:
    return "  ".join((spec.partition_text, f"q={spec.q}", spec.attack_text, spec.method_name, f"seed {spec.seed}"))
