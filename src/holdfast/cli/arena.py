"""`holdfast arena`: every method under every attack, judged by the worst case."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

from holdfast.cli.reporter import Reporter
from holdfast.cli.spec_flags import add_output, add_spec_flags, read_file_and_flags
from holdfast.cli.study_folder import add_resumable, open_study, resumable
from holdfast.errors import InvalidInput, unknown
from holdfast.files import file_names, sweep
from holdfast.runs.plan import fill_defaults
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import data_labels, data_name, data_text, model_text
from holdfast.runs.workbench import SHARED
from holdfast.studies.arena_plan import Arena
from holdfast.studies.arena_play import Place, choose_factors, locate_bout, play_arena
from holdfast.studies.arena_presets import PRESETS, Preset
from holdfast.studies.arena_results import collect_results, conclusions, headline, list_guessers
from holdfast.studies.auto_numbers import NumbersFile
from holdfast.studies.leaderboard import Leaderboard
from holdfast.studies.study import Study
from holdfast.studies.validation import hold_out, write

TASK = {"data": "data", "model": "models"}
MEETING = {"method": "methods", "attack": "attacks", "partition": "partitions", "byzantine": "byzantine"}
SWEPT = TASK | MEETING
"""The flags that take several values, with the fields of a preset. What is learned may also stand in a spec file."""
OWN = (*SWEPT, "declared", "seed", "engine")
"""Fields of a spec that an arena sets itself."""


STORES = ("tries", "runs")
"""Folders of the runs that step sizes were chosen by, and of those that saw the test set."""
NUMBERS = "auto.json"
"""The file of what was found by rule, for both."""
HELD_OUT = 0.1
"""The share of the training samples that step sizes are chosen by."""


def add_flags(parser: ArgumentParser) -> None:
    add_spec_flags(parser, without=OWN)
    group = parser.add_argument_group("arena")
    group.add_argument(
        "--preset", metavar="NAME", help=f"any of {', '.join(PRESETS)} (default full); flags override it"
    )
    group.add_argument(
        "--data", nargs="+", metavar="DATA",
        help="data sets: names, or files as with holdfast run; every one is learned by every model",
    )  # fmt: skip
    group.add_argument(
        "--model", nargs="+", metavar="NAME[:key=value,...]", help="PyTorch networks; none is a linear model"
    )
    for name in ("method", "attack", "partition"):
        group.add_argument(f"--{name}", nargs="+", metavar="NAME[:key=value,...]", help=f"{name}s; see holdfast list")
    group.add_argument(
        "--byzantine", nargs="+", metavar="Q[:TOLD]",
        help="numbers of Byzantine workers, each with the number that rules are told if it is another",
    )  # fmt: skip
    group.add_argument(
        "--honest", type=int, metavar="H",
        help="honest workers in every condition, the Byzantine ones beside them; else --workers is the number of all",
    )  # fmt: skip
    group.add_argument("--seeds", type=int, metavar="N", help="seeds 0 to N - 1")
    group.add_argument(
        "--factors", nargs="+", type=float, metavar="F",
        help="multiples of the step size, of which each method takes the best on held-out training samples; or one",
    )  # fmt: skip
    add_resumable(parser)
    add_output(parser)


def command(arguments: Namespace) -> int:
    arena, reporter = arena_of(arguments), Reporter.of(arguments)
    return resumable(reporter, arguments, "arena", STORES, lambda out: _play(reporter, arena, out, arguments))


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
    preset, (in_file, given) = _preset(arguments), read_file_and_flags(arguments)
    parts = {of: [in_file[option]] for option, of in TASK.items() if option in in_file}
    parts |= {of: given[option] for option, of in SWEPT.items() if option in given}
    base = {name: value for name, value in (in_file | given).items() if name not in OWN}
    seeds = preset.seeds if arguments.seeds is None else arguments.seeds
    honest = arguments.honest
    if "workers" not in base:
        honest = preset.honest if honest is None else honest
    elif honest is not None:
        raise InvalidInput(f"either --honest or --workers must be given, not both; got {honest} and {base['workers']}")
    return replace(preset, **parts, base={**preset.base, **base}, seeds=seeds, honest=honest).arena()


def _play(reporter: Reporter, arena: Arena, out: Path, arguments: Namespace) -> int:
    sweep(out, [NUMBERS])
    checksums = {data: SHARED.load(data).digest() for data in arena.data}
    digests = {_ready(arena, data).data: digest for data, digest in checksums.items()}
    conditions, bouts = len(arena.conditions()), len(arena.bouts())
    reporter.inform(
        f"{len(arena.methods)} methods, {len(arena.attacks)} attacks, {conditions} conditions: {bouts} bouts of "
        f"{arena.base.rounds} rounds on {', '.join(map(data_text, arena.data))}"
    )
    factors = factors_of(arguments)
    if len(factors) > 1:
        chosen = _choose_factors(reporter, arena, factors, out, arguments.jobs)
    else:
        chosen = dict.fromkeys(map(locate_bout, arena.bouts()), factors[0] if factors else 1.0)
    cells = play_arena(arena, _open_study(reporter, arena, out, "runs", digests, arguments.jobs), chosen)
    show(reporter, arena, Leaderboard.of(cells), arguments, out, factors)
    return 0


def _choose_factors(
    reporter: Reporter, arena: Arena, factors: tuple[float, ...], out: Path, jobs: int | None
) -> dict[Place, float]:
    """Return the factors chosen on training samples held back, which are written to one file per data set."""
    labels = data_labels(arena.data)
    names = file_names(f"validation-{label}" for label in labels.values())
    checksums, ready = {}, {}
    for data, label in labels.items():
        split = hold_out(SHARED.load(data), HELD_OUT, max(arena.seeds) + 1)
        file = out / (f"{names[f'validation-{label}']}.npz" if len(labels) > 1 else "validation.npz")
        write(split, file)
        ready[data] = replace(_ready(arena, data), data=str(file.resolve()))
        checksums[ready[data].data] = split.digest()

    def held_out(spec: Spec) -> Spec:
        held = ready[spec.data]
        return replace(spec, data=held.data, scale=held.scale, problem=held.problem, l2=held.l2)

    reporter.inform(f"step sizes first: each method tries {len(factors)} on samples held back from training")
    return choose_factors(arena, factors, held_out, _open_study(reporter, arena, out, "tries", checksums, jobs))


def _ready(arena: Arena, data: Any) -> Spec:
    """Return the base on a data set, with what depends on it: where its file is, and how it is scaled and learned."""
    return fill_defaults(replace(arena.base, data=data))


def _open_study(
    reporter: Reporter, arena: Arena, out: Path, name: str, digests: Mapping[Any, str], jobs: int | None
) -> Study:
    """Return the study of the runs in a folder of the arena's; both folders share the file of numbers."""

    def digest(spec: Spec) -> str:
        return digests[spec.data]

    line = partial(_line, arena)
    return open_study(reporter, jobs, out / name, line, digest, NumbersFile(out / NUMBERS, digest))


def show(
    reporter: Reporter,
    arena: Arena,
    board: Leaderboard,
    arguments: Namespace,
    out: Path,
    factors: Sequence[float] = (),
) -> None:
    """Print and write what came of an arena."""
    from holdfast.report.arena_page import arena_page, arena_pictures, leaderboard_tables
    from holdfast.report.page import write_report

    results = json.dumps(collect_results(arena, board, factors), allow_nan=False)
    write_report(out, arena_page(arena, board, factors), results, arena_pictures(board), runs=board.runs(arena))
    if arguments.json:
        print(results)
    for table in leaderboard_tables(board):
        reporter.print_table(table, divide=True)
    for line in list_guessers(board):
        reporter.alarm(line)
    for sentence in (headline(board), *conclusions(board), f"page with all cells: {out / 'report.html'}"):
        reporter.say(sentence)


def _line(arena: Arena, spec: Spec) -> str:
    data = [data_name(spec.data)] if len(arena.data) > 1 else []
    model = [model_text(spec.model)] if len(arena.models) > 1 else []
    parts = (*data, *model, spec.partition_text, f"q={spec.q}", spec.attack_text, spec.method_name, f"seed {spec.seed}")
    return "  ".join(parts)
