"""The page and the table of an arena: worst cases first, then every cell."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rich.table import Table

from holdfast.data import Partition
from holdfast.methods import AUTO, Method, method_labels
from holdfast.report.arena_charts import cell_curves, heat_map, robustness_curves, worst_dots
from holdfast.report.drawing import Drawing, pictures
from holdfast.report.holdings_chart import holdings_chart
from holdfast.report.rendering import render
from holdfast.report.tables import text_table
from holdfast.runs.spec_parts import data_labels, model_text
from holdfast.studies.arena import Arena, Condition, Task
from holdfast.studies.arena_results import attack_text, conclusions, headline
from holdfast.studies.leaderboard import BoutResult, Leaderboard, Standing

AT_THE_END = "accuracy at the end"
ABREAST = 6
"""Conditions that stand side by side on a page; of more, every partition has a table of its own."""


class Ranking(NamedTuple):
    """One table: a row per method, the best overall first; `best` are the places of the best values of every column."""

    head: list[str]
    rows: list[tuple[str, ...]]
    best: list[tuple[int, int]]


class _Column(NamedTuple):
    head: str
    values: list[float | None]
    texts: list[str]


def leaderboard(board: Leaderboard) -> Ranking:
    """Return the overall share kept, then the worst case in every condition; of several tasks the share in each."""
    if len(board.by_task) > 1:
        return _ranking(
            board, [_kept(board, board), *(_kept(board, each, task.text) for task, each in board.by_task.items())]
        )
    return _ranking(board, [_kept(board, board), *(_worst_cases(board, each) for each in board.conditions)])


def task_rankings(board: Leaderboard) -> dict[Task, Ranking]:
    """Return for each of several tasks the worst case in its conditions."""
    if len(board.by_task) == 1:
        return {}
    return {
        task: _ranking(board, [_worst_cases(board, condition) for condition in each.conditions])
        for task, each in board.by_task.items()
    }


def pieces(ranking: Ranking, conditions: Sequence[Condition]) -> list[Ranking]:
    """Return a ranking whose last columns are these conditions as tables that are not too wide for a page."""
    if len(conditions) <= ABREAST:
        return [ranking]
    others = len(ranking.head) - len(conditions)
    columns: dict[Partition, list[int]] = {}
    for at, condition in enumerate(conditions, start=others):
        columns.setdefault(condition.partition, [0]).append(at)
    first, *rest = columns.values()
    return [_piece(ranking, [*range(others), *first[1:]]), *(_piece(ranking, each) for each in rest)]


def _piece(ranking: Ranking, columns: Sequence[int]) -> Ranking:
    return Ranking(
        [ranking.head[at] for at in columns],
        [tuple(row[at] for at in columns) for row in ranking.rows],
        [(row, columns.index(at)) for row, at in ranking.best if at in columns],
    )


def leaderboard_tables(board: Leaderboard) -> Iterator[Table]:
    """Yield the leaderboard for a terminal, and below it each of several tasks."""
    head, rows, best = leaderboard(board)
    tasks = task_rankings(board)
    what = "share kept of what can be reached" if tasks else AT_THE_END
    # a task has a long name, and its column short numbers
    narrow = [re.sub(", ?", ",\n", each) for each in head] if tasks else head
    yield text_table(narrow, rows, f"{what}, worst case over the attacks", best)
    for task, (head, rows, best) in tasks.items():
        yield text_table(head, rows, f"{task.text}: {AT_THE_END}, worst case over the attacks", best)


def arena_page(arena: Arena, board: Leaderboard, factors: Sequence[float] = ()) -> str:
    """Return the whole page."""
    names, base = method_labels(board.ranked), arena.base
    tasks = task_rankings(board)
    data = ", ".join(data_labels(arena.data).values())
    models = f" Models: {', '.join(map(model_text, arena.models))}." if len(arena.models) > 1 else ""
    seeds = f"{len(arena.seeds)} seed{'s' if len(arena.seeds) > 1 else ''}"
    step = "every step size by rule" if base.rate == AUTO else f"step size {base.rate}"
    if len(factors) > 1:
        tried = ", ".join(f"{factor:g}" for factor in factors)
        step += f" times the best of {tried} for the method, by the worst case on training samples held back"
    elif factors and factors[0] != 1:
        step += f" times {factors[0]:g}"
    workers = f"{base.workers} workers" if arena.honest is None else f"{arena.honest} honest workers, q more Byzantine"
    return render(
        "arena.html",
        title=f"Arena on {data}: {len(arena.methods)} methods, {len(arena.attacks)} attacks",
        headline=headline(board),
        conclusions=conclusions(board),
        about=f"{workers}, {base.rounds} rounds, {seeds}, {step}.{models}",
        held=holdings_chart(spec for bout in arena.bouts() for spec in arena.specs(bout)[:1]),
        leaderboard=pieces(leaderboard(board), () if tasks else board.conditions),
        worst=_hardest(board, names),
        robustness=robustness_curves(board, names),
        rankings={task: pieces(ranking, board.by_task[task].conditions) for task, ranking in tasks.items()},
        sections={
            task: [_section(board, condition, names) for condition in each.conditions]
            for task, each in board.by_task.items()
        },
    )


def arena_pictures(board: Leaderboard) -> Iterator[tuple[str, bytes]]:
    """Yield the worst cases of every condition with Byzantine workers as PNG and SVG, with their file names."""
    names = method_labels(board.ranked)
    for condition in board.conditions:
        if condition.byzantine:
            drawn = worst_dots(board, condition, names)
            yield from pictures(drawn.name, drawn.picture(), pdf=False)


def _hardest(board: Leaderboard, names: Mapping[Method, str]) -> Drawing | None:
    """Return the picture of the worst cases where the leader did worst; None if nobody is ever Byzantine."""
    attacked = [each for each in board.conditions if each.byzantine]
    if not attacked:
        return None
    hardest = min(attacked, key=lambda each: board.standing(board.ranked[0], each).score or 0.0)
    return worst_dots(board, hardest, names)


def _ranking(board: Leaderboard, columns: Sequence[_Column]) -> Ranking:
    names = method_labels(board.ranked)
    texts = ([names[method] for method in board.ranked], *(column.texts for column in columns))
    best = [
        (row, at)
        for at, column in enumerate(columns, start=1)
        for row, value in enumerate(column.values)
        if value is not None and value == max(each for each in column.values if each is not None)
    ]
    return Ranking(["method", *(column.head for column in columns)], [*zip(*texts, strict=True)], best)


def _kept(board: Leaderboard, of: Leaderboard, head: str = "kept") -> _Column:
    """Return the share that every method of a board keeps in all of it, or in one of its tasks."""
    values = [of.overall(method) for method in board.ranked]
    return _Column(head, values, [*map(_share, values)])


def _worst_cases(board: Leaderboard, condition: Condition) -> _Column:
    standings = [board.standing(method, condition) for method in board.ranked]
    return _Column(condition.within_task, [each.score for each in standings], [*map(_worst, standings)])


def _section(board: Leaderboard, condition: Condition, names: Mapping[Method, str]) -> dict[str, object]:
    cells = [(names[method], cell) for method in board.ranked for cell in board.standing(method, condition).cells]
    return {
        "heading": condition.within_task,
        "heat": heat_map(board, condition, names) if len({attack_text(cell) for _, cell in cells}) > 1 else None,
        "columns": 1 + len({attack_text(cell) for _, cell in cells}),
        "curves": cell_curves(board, condition, names),
        "head": ["method", "attack", "at the end", "best moment", "lost since", "step size"],
        "rows": [(name, *_cell(cell)) for name, cell in cells if cell.failure is None],
        "failures": list(dict.fromkeys((name, cell.failure) for name, cell in cells if cell.failure)),
    }


def _cell(cell: BoutResult) -> tuple[str, ...]:
    rate = cell.records[0].spec.rate
    return (attack_text(cell), str(cell.final), f"{cell.best:.3f}", f"{cell.drop:.3f}", f"{rate:g}")


def _worst(standing: Standing) -> str:
    worst = standing.worst
    if worst is None:
        return "not playable"
    return str(worst.final) if worst.bout.attack is None else f"{worst.final} {attack_text(worst)}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"
