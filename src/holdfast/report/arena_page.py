"""The page and the table of an arena: worst cases first, then every cell."""

from collections.abc import Iterator, Mapping, Sequence

from rich.table import Table

from holdfast.arena import Arena, BoutResult, Condition, Leaderboard
from holdfast.arena.conclusions import breaking, headline
from holdfast.arena.results import attack_text
from holdfast.experiments.given import data_name
from holdfast.methods import AUTO, Method, method_labels
from holdfast.report.arena_charts import cell_curves, heat_map, robustness_curves, worst_dots
from holdfast.report.drawing import Drawing, pictures
from holdfast.report.holdings_chart import holdings_chart
from holdfast.report.rendering import render
from holdfast.report.tables import text_table


def leaderboard_rows(board: Leaderboard) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return the head and one row per method: the overall share kept, then the worst case in every condition."""
    names = method_labels(board.ranked)
    head = ["method", "kept", *(condition.text for condition in board.conditions)]
    return head, [
        (names[method], _share(board.overall(method)), *(_worst(board, method, each) for each in board.conditions))
        for method in board.ranked
    ]


def leaderboard_table(board: Leaderboard) -> Table:
    """Return the leaderboard for a terminal."""
    head, rows = leaderboard_rows(board)
    return text_table(head, rows, "accuracy at the end, worst case over the attacks", _best(board))


def arena_page(arena: Arena, board: Leaderboard, factors: Sequence[float] = ()) -> str:
    """Return the whole page."""
    names = method_labels(board.ranked)
    head, rows = leaderboard_rows(board)
    base = arena.base
    seeds = f"{len(arena.seeds)} seed{'s' if len(arena.seeds) > 1 else ''}"
    step = "every step size by rule" if base.rate == AUTO else f"step size {base.rate}"
    if len(factors) > 1:
        tried = ", ".join(f"{factor:g}" for factor in factors)
        step += f" times the best of {tried} for the method, by the worst case on training samples held back"
    return render(
        "arena.html",
        title=f"Arena on {data_name(base.data)}: {len(arena.methods)} methods, {len(arena.attacks)} attacks",
        headline=headline(board),
        conclusions=[breaking(board)],
        about=f"{base.workers} workers, {base.rounds} rounds, {seeds}, {step}.",
        held=holdings_chart(spec for bout in arena.bouts() for spec in arena.specs(bout)[:1]),
        best=_best(board),
        head=head,
        rows=rows,
        worst=_hardest(board, names),
        robustness=robustness_curves(board, names),
        conditions=[_section(board, condition, names) for condition in board.conditions],
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


def _best(board: Leaderboard) -> list[tuple[int, int]]:
    """Return the places of the best values of every column of the leaderboard."""
    columns = [[board.overall(method) for method in board.ranked]]
    columns += [[board.standing(method, each).score for method in board.ranked] for each in board.conditions]
    return [
        (row, 1 + column)
        for column, values in enumerate(columns)
        for row, value in enumerate(values)
        if value is not None and value == max(each for each in values if each is not None)
    ]


def _section(board: Leaderboard, condition: Condition, names: Mapping[Method, str]) -> dict[str, object]:
    cells = [(names[method], cell) for method in board.ranked for cell in board.standing(method, condition).cells]
    return {
        "heading": condition.text,
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


def _worst(board: Leaderboard, method: Method, condition: Condition) -> str:
    worst = board.standing(method, condition).worst
    if worst is None:
        return "not playable"
    return str(worst.final) if worst.bout.attack is None else f"{worst.final} {attack_text(worst)}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"
