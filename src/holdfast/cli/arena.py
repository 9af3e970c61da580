"""`holdfast arena`: every method under every attack, judged by the worst case."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import fields, replace
from math import inf
from pathlib import Path
from typing import Any

from holdfast.arena import PRESETS, Arena, Leaderboard, choose_factors, play_arena
from holdfast.arena.conclusions import breaking, headline
from holdfast.arena.presets import BASE, Preset
from holdfast.arena.results import results_of
from holdfast.cli.console import Speaker
from holdfast.cli.gathering import add_resumable, resumable, store_at, told
from holdfast.cli.options import add_output, add_spec_flags, values_of
from holdfast.errors import InvalidInput, unknown
from holdfast.experiments.defaults import resolved
from holdfast.experiments.gathering import Arrived
from holdfast.experiments.loading import loaded
from holdfast.experiments.spec import Spec, data_text
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
    given = {option: getattr(arguments, option) or getattr(preset, of) for option, of in SWEPT.items()}
    base = Spec.of(
        BASE | dict(preset.base) | {name: value for name, value in values_of(arguments).items() if name not in OWN}
    )
    seeds = preset.seeds if arguments.seeds is None else arguments.seeds
    if seeds < 1:
        raise InvalidInput(f"seeds must be at least 1; got {seeds}")
    make = {option.name: option.metadata["make"] for option in fields(Spec) if "make" in option.metadata}

    def made(option: str) -> tuple[Any, ...]:
        return tuple(make[option](each) for each in given[option])

    counts = tuple(_counts(text) for text in given["byzantine"])
    return Arena(base, made("method"), made("attack"), made("partition"), counts, tuple(range(seeds)))


def _counts(text: str) -> tuple[int, int]:
    """Return how many workers are Byzantine, and how many rules are told."""
    true, _, told_number = text.partition(":")
    try:
        return int(true), int(told_number or true)
    except ValueError:
        raise InvalidInput(f"--byzantine must be Q or Q:TOLD with whole numbers; got {text}") from None


def _play(speaker: Speaker, arena: Arena, out: Path, arguments: Namespace) -> int:
    from holdfast.report.arena_page import arena_page, leaderboard_table

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
    board = Leaderboard.of(cells)
    results = json.dumps(results_of(arena, board, factors), allow_nan=False)
    write_atomic(out / "results.json", results.encode())
    write_atomic(out / "report.html", arena_page(arena, board, factors).encode())
    if arguments.json:
        print(results)
    speaker.console.print(leaderboard_table(board))
    for sentence in (headline(board), breaking(board), f"page with all cells: {out / 'report.html'}"):
        speaker.say(sentence)
    return 0


def _line(spec: Spec) -> str:
    return "  ".join((spec.partition_text, f"q={spec.q}", spec.attack_text, spec.method_name, f"seed {spec.seed}"))
