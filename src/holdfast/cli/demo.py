"""`holdfast demo`: RSA and its rivals under every attack, on data that come with the package."""

import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from holdfast.cli.arena import show
from holdfast.cli.reporter import Reporter
from holdfast.cli.results_folders import results_folder
from holdfast.cli.spec_flags import add_jobs, add_output, format_flags
from holdfast.runs.spec import Spec
from holdfast.studies.arena_play import play_arena
from holdfast.studies.arena_presets import PRESETS
from holdfast.studies.compilation import preparing
from holdfast.studies.leaderboard import Leaderboard
from holdfast.studies.study import Arrived, Study


def add_flags(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--out", type=Path, default=Path("demo"), metavar="DIR", help="folder of the page (default: demo)"
    )
    add_jobs(parser)
    add_output(parser)


def command(arguments: Namespace) -> int:
    reporter, arena = Reporter.of(arguments), PRESETS["demo"].arena()

    @contextmanager
    def fill(specs: Sequence[Spec]) -> Iterator[Arrived]:
        with preparing(specs), reporter.worst_cases(specs) as table:
            yield lambda record, _: table.count(record.spec, record.accuracy or 0.0)

    with results_folder(arguments.out, "demo") as out:
        reporter.inform(
            f"{len(arena.methods)} methods under {len(arena.attacks)} attacks on the embedded digits: every two of "
            "20 workers hold one digit, 8 are Byzantine"
        )
        board = Leaderboard.of(play_arena(arena, Study(arguments.jobs, telling=fill)))
        show(reporter, arena, board, arguments, out)
        reporter.inform("try next:")
        for line in next_steps(board, arena.base):
            reporter.inform(f"  {line}")
    return 0


def next_steps(board: Leaderboard, base: Spec) -> list[str]:
    """Return commands that go on from here: the winner's worst case, what to set, one's own data, all methods."""
    attacked = next(condition for condition in board.conditions if condition.byzantine)
    best = board.best(attacked)
    assert best is not None  # every method of the demo can be played
    assert best.worst is not None  # else it had no score
    plain = Spec(data=base.data, partition=attacked.partition, byzantine=attacked.byzantine)
    worst = replace(plain, method=best.method, attack=best.worst.bout.attack)
    return [
        f"holdfast run {shlex.join(format_flags(worst))}    # the winner in its worst case; then holdfast inspect",
        f"holdfast advise {shlex.join(format_flags(plain))}",
        f"holdfast compare --data YOUR.csv --method rsa krum sgd --attack none {worst.attack_text} --byzantine 4",
        "holdfast arena    # every method, iid and by label, with 4 and with 8 Byzantine workers; 8 minutes",
    ]
