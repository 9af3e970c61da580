"""The page and the tables of an arena: worst cases first, then every cell."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from markupsafe import Markup
from rich.table import Table

from holdfast.data import Partition
from holdfast.methods import AUTO, Method, method_labels
from holdfast.report.arena_charts import cell_curves, heat_map, robustness_chart, worst_case_chart
from holdfast.report.drawing import Drawing
from holdfast.report.holdings_chart import holdings_blocks
from holdfast.report.page import Block, Details, Heading, Items, Page, Paragraph, alarm
from holdfast.report.text_table import TextTable
from holdfast.runs.spec_parts import data_labels, model_text
from holdfast.studies.arena_plan import Arena, Condition, Task
from holdfast.studies.arena_results import attack_text, conclusions, headline, list_guessers
from holdfast.studies.intervals import FEW, differ
from holdfast.studies.leaderboard import BoutResult, Leaderboard, Standing

ABREAST = 6
"""Conditions side by side on a page; if there are more, every partition has its own table."""
KEPT, CEILING, GUESSING = "kept", "ceiling", "guessing"
HOW_TO_READ = Markup(
    "Attackers choose what hurts most, so a method is as good as its worst cell. <em>Guessing</em> is the share of the "
    "commonest class among the test samples, which needs no learning; of R² it is 0, always predicting the mean. The "
    "<em>ceiling</em> is the share of test samples whose class some honest worker holds; of R² it is 1. <em>Kept</em> "
    "is how far the worst case lies on the way from guessing to the ceiling: (worst - guessing) / (ceiling - "
    "guessing), the mean over the conditions with Byzantine workers. A method at or below guessing keeps 0%; such "
    'values are <b class="fails">red</b>. The score at the end decides. The best moment stands beside: a model that '
    "was good once and then collapsed is no use. A method that could not be played somewhere has no overall score. "
    "Brackets hold the least and the most over the seeds; from {} seeds on, the 95% interval of the mean by Student's "
    "t. Two methods are within noise if the 95% interval of their differences, seed by seed, holds 0. <em>Rank</em> is "
    "the best and the worst place that noise allows, and what is within noise of the best shares its mark."
).format(FEW)


def _at_the_end(board: Leaderboard) -> str:
    return f"{board.score.called} at the end"


class _Column(NamedTuple):
    """A column of a ranking: one entry per method, and what stands below them."""

    head: str
    values: list[float | None]
    texts: list[str]
    by_seed: list[list[float]]
    """The value of each seed, by which it is judged which methods are within noise of the best."""
    bad: list[bool]
    """Whether a method is no better than guessing."""
    limits: tuple[str, str] = ("", "")
    """The ceiling and guessing."""

    def is_best(self, row: int) -> bool:
        """Return whether no method is better by more than noise, or by what can be read."""
        known = {at: value for at, value in enumerate(self.values) if value is not None}
        if row not in known or self.bad[row]:
            return False
        top = max(known, key=known.__getitem__)
        return self.texts[row] == self.texts[top] or not differ(self.by_seed[top], self.by_seed[row])


def leaderboard(board: Leaderboard) -> TextTable:
    """Return the share kept overall, then the worst case in every condition; of several tasks, the share in each."""
    overall = _share_column(board, board, KEPT)
    if len(board.by_task) > 1:
        return _ranking(
            board, [overall, *(_share_column(board, each, task.text) for task, each in board.by_task.items())]
        )
    return _ranking(board, [overall, *(_worst_column(board, each) for each in board.conditions)])


def task_rankings(board: Leaderboard) -> dict[Task, TextTable]:
    """Return for each of several tasks the worst case in its conditions."""
    if len(board.by_task) == 1:
        return {}
    return {
        task: _ranking(board, [_worst_column(board, condition) for condition in each.conditions])
        for task, each in board.by_task.items()
    }


def split_by_partition(ranking: TextTable, conditions: Sequence[Condition]) -> list[TextTable]:
    """Return a ranking whose last columns are these conditions as tables that are not too wide for a page."""
    if len(conditions) <= ABREAST:
        return [ranking]
    others = len(ranking.head) - len(conditions)
    columns: dict[Partition, list[int]] = {}
    for at, condition in enumerate(conditions, start=others):
        columns.setdefault(condition.partition, [0]).append(at)
    first, *rest = columns.values()
    return [ranking.select([*range(others), *first[1:]]), *map(ranking.select, rest)]


def leaderboard_tables(board: Leaderboard) -> Iterator[Table]:
    """Yield the leaderboard for a terminal, and below it each of several tasks."""
    tasks = task_rankings(board)
    what = "share kept" if tasks else _at_the_end(board)
    # a task has a long name, and its column short numbers
    yield leaderboard(board).terminal(f"{what}, worst case over the attacks", break_after="," if tasks else "")
    for task, ranking in tasks.items():
        yield ranking.terminal(f"{task.text}: {_at_the_end(board)}, worst case over the attacks")


def arena_page(arena: Arena, board: Leaderboard, factors: Sequence[float] = ()) -> Page:
    """Return the page."""
    names, tasks = method_labels(board.ranked), task_rankings(board)
    data = ", ".join(data_labels(arena.data).values())
    title = f"Arena on {data}: {len(arena.methods)} methods, {len(arena.attacks)} attacks"
    worst, robustness = _hardest(board, names), robustness_chart(board, names)
    blocks: list[Block] = [
        Paragraph(_about(arena, factors), "soft"),
        *(worst or [robustness]),
        Heading("Leaderboard: the worst case over all attacks"),
        *split_by_partition(leaderboard(board), () if tasks else board.conditions),
        *([robustness] if worst else []),
        *holdings_blocks(spec for bout in arena.bouts() for spec in arena.specs(bout)[:1]),
    ]
    for task, each in board.by_task.items():
        sections = {condition.within_task: _cells(board, condition, names) for condition in each.conditions}
        if task in tasks:
            blocks += [Heading(task.text), *split_by_partition(tasks[task], each.conditions)]
            blocks += [Details(name, section) for name, section in sections.items()]
        else:
            blocks += [block for name, section in sections.items() for block in (Heading(name), *section)]
    blocks.append(Details("How to read this", [Paragraph(HOW_TO_READ)]))
    return Page(title, headline(board), [*map(alarm, list_guessers(board)), *conclusions(board)], blocks)


def _about(arena: Arena, factors: Sequence[float]) -> str:
    """Return the setting that all cells share."""
    base = arena.base
    workers = f"{base.workers} workers" if arena.honest is None else f"{arena.honest} honest workers, q more Byzantine"
    seeds = f"{len(arena.seeds)} seed{'s' if len(arena.seeds) > 1 else ''}"
    step = "every step size by rule" if base.rate == AUTO else f"step size {base.rate}"
    if len(factors) > 1:
        values = ", ".join(f"{factor:g}" for factor in factors)
        step += f" times the best of {values} for the method, by the worst case on training samples held back"
    elif factors and factors[0] != 1:
        step += f" times {factors[0]:g}"
    models = f" Models: {', '.join(map(model_text, arena.models))}." if len(arena.models) > 1 else ""
    return f"{workers}, {base.rounds} rounds, {seeds}, {step}.{models}"


def arena_pictures(board: Leaderboard) -> Iterator[tuple[str, bytes]]:
    """Yield the worst cases of every condition with Byzantine workers as PNG and SVG, with their file names."""
    names = method_labels(board.ranked)
    for condition in board.conditions:
        if condition.byzantine:
            yield from worst_case_chart(board, condition, names).pictures(pdf=False)


def _hardest(board: Leaderboard, names: Mapping[Method, str]) -> list[Drawing]:
    """Return the worst cases in the condition where the leader did worst, if any has Byzantine workers."""
    attacked = [each for each in board.conditions if each.byzantine]
    attacked.sort(key=lambda each: board.standing(board.ranked[0], each).score or 0.0)
    return [worst_case_chart(board, hardest, names) for hardest in attacked[:1]]


def _ranking(board: Leaderboard, columns: Sequence[_Column]) -> TextTable:
    """Return one row per method, and below them the ceiling and guessing where they are known."""
    names = method_labels(board.ranked)
    rows = [(names[method], *(column.texts[at] for column in columns)) for at, method in enumerate(board.ranked)]
    for at, limit in enumerate((CEILING, GUESSING)):
        if any(column.limits[at] for column in columns):
            rows.append((limit, *(column.limits[at] for column in columns)))
    places = [(row, at) for at in range(len(columns)) for row in range(len(names))]
    best = [(row, at + 1) for row, at in places if columns[at].is_best(row)]
    bad = [(row, at + 1) for row, at in places if columns[at].bad[row]]
    table = TextTable(["method", *(column.head for column in columns)], rows, best, kind="wraps", bad=bad)
    return table if board.seeds < 2 else _add_ranks(board, table)


def _add_ranks(board: Leaderboard, table: TextTable) -> TextTable:
    """Return a ranking with a column of the ranks that noise allows each method."""
    ranks = [board.ranks(method) for method in board.ranked]
    texts = ["-" if each is None else "-".join(map(str, dict.fromkeys(each))) for each in ranks]
    texts += [""] * (len(table.rows) - len(texts))
    head, *heads = table.head
    return replace(
        table,
        head=[head, "rank", *heads],
        rows=[(name, text, *cells) for (name, *cells), text in zip(table.rows, texts, strict=True)],
        best=[(row, at + 1) for row, at in table.best],
        bad=[(row, at + 1) for row, at in table.bad],
    )


def _share_column(board: Leaderboard, part: Leaderboard, head: str) -> _Column:
    """Return the share that every method of a board keeps in all of it, or in one of its tasks."""
    values = [part.overall(method) for method in board.ranked]
    known = any(_limit(part, each, GUESSING) for each in part.conditions)
    return _Column(
        head,
        values,
        ["-" if value is None else f"{value:.0%}" for value in values],
        [part.overall_by_seed(method) for method in board.ranked],
        [value == 0 for value in values],
        ("100%", "0%") if known else ("", ""),
    )


def _worst_column(board: Leaderboard, condition: Condition) -> _Column:
    standings = [board.standing(method, condition) for method in board.ranked]
    worst = [each.worst for each in standings]
    return _Column(
        condition.within_task,
        [each.score for each in standings],
        [*map(_worst_text, standings)],
        [[] if cell is None else cell.by_seed for cell in worst],
        [cell is not None and cell.guesses for cell in worst],
        (_limit(board, condition, CEILING), _limit(board, condition, GUESSING)),
    )


def _limit(board: Leaderboard, condition: Condition, name: str) -> str:
    """Return the ceiling or guessing of a condition as text; nothing where it is not known."""
    cells = [cell for method in board.ranked for cell in board.standing(method, condition).cells if not cell.failure]
    known = [value for cell in cells if (value := cell.ceiling if name == CEILING else cell.guessing) is not None]
    return f"{min(known):.3f}" if known else ""


def _worst_text(standing: Standing) -> str:
    worst = standing.worst
    if worst is None:
        return "not playable"
    return str(worst.final) if worst.bout.attack is None else f"{worst.final} {attack_text(worst)}"


def _cells(board: Leaderboard, condition: Condition, names: Mapping[Method, str]) -> list[Block]:
    """Return all cells of a condition: a heat map, what could not be played, a table, curves."""
    cells = [(names[method], cell) for method in board.ranked for cell in board.standing(method, condition).cells]
    failures = dict.fromkeys(f"{name} could not be played: {cell.failure}" for name, cell in cells if cell.failure)
    head = ["method", "attack", "at the end", "best moment", "lost since", "step size"]
    played = [(name, cell) for name, cell in cells if cell.failure is None]
    rows = [(name, *_cell_texts(cell)) for name, cell in played]
    bad = [(row, 2) for row, (_, cell) in enumerate(played) if cell.guesses]
    curves = cell_curves(board, condition, names)
    return [
        *([heat_map(board, condition, names)] if len({attack_text(cell) for _, cell in cells}) > 1 else []),
        *([Items([*failures])] if failures else []),
        Details(
            "Every cell, with its best moment and what was lost since", [TextTable(head, rows, kind="wraps", bad=bad)]
        ),
        *([Details(f"On the way: {board.score.title} over the rounds", [curves])] if curves.panels else []),
    ]


def _cell_texts(cell: BoutResult) -> tuple[str, ...]:
    rate = cell.records[0].spec.rate
    return (attack_text(cell), str(cell.final), f"{cell.best:.3f}", f"{cell.drop:.3f}", f"{rate:g}")
