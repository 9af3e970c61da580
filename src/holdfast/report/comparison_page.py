"""The page of a comparison: worst cases first, then tables and curves."""

from collections.abc import Iterator, Mapping, Sequence

import altair as alt
from markupsafe import Markup

from holdfast.files import file_name
from holdfast.report.axes import fit_axis, score_axis
from holdfast.report.colours import Stroke, strokes
from holdfast.report.comparison_tables import accuracy_table, cell_text, heading, settings_table
from holdfast.report.drawing import Drawing, Panel, Row, notebook_chart
from holdfast.report.holdings_chart import holdings_blocks
from holdfast.report.line_charts import line_panel
from holdfast.report.page import Block, Details, Heading, Page, Paragraph, alarm
from holdfast.report.worst_cases import (
    NEAR,
    ByAttack,
    ceiling_of,
    cells_of,
    conclusions,
    guessing_of,
    headline,
    list_guessers,
    lost_attacks,
    worst_cases,
)
from holdfast.report.worst_chart import Dot, worst_chart
from holdfast.runs.records import Record
from holdfast.runs.verdicts import Score, choose_score
from holdfast.studies.table import Cell, Comparison

HOW_TO_READ = Markup(
    'The best value of a row is <b class="best">marked</b>, and so is what several seeds cannot tell from it: the 95% '
    "interval of the differences, seed by seed, holds 0. <em>Guessing</em> is the share of the commonest class among "
    'the test samples; a value at or below it is <b class="fails">red</b>. Methods in <em>italics</em> are oracles '
    "that no attack reaches: yardsticks, not competitors. The <em>ceiling</em>, a dotted line, is the share of test "
    "samples whose class some honest worker holds. A model that <em>diverged</em> is no longer finite. <em>Nearly</em> "
    "the best is within {} of the best value. Point at a line for its values."
).format(NEAR)


def comparison_page(title: str, results: Sequence[Record]) -> Page:
    """Return the page."""
    found = Comparison.of(results)
    groups, look = found.tables, _strokes(found)
    sections = [
        block for name, table in groups.items() for block in _section(name, table, look, alone=len(groups) == 1)
    ]
    blocks = (
        *sections,
        *holdings_blocks(result.spec for result in results),
        Details("How to read this", [Paragraph(HOW_TO_READ)]),
    )
    return Page(title, headline(groups), [*map(alarm, list_guessers(groups)), *conclusions(groups)], blocks)


def _section(partition: str, by_attack: ByAttack, look: Mapping[str, Stroke], *, alone: bool) -> list[Block]:
    cells = cells_of(by_attack)
    title, score = heading(cells), choose_score(cells)
    return [
        Paragraph(title, "soft") if alone else Heading(title),
        _worst_chart(partition, by_attack, look),
        Heading(f"At the end: {score.title} of the master's model", 3),
        accuracy_table(by_attack),
        Heading(f"On the way: {score.title} over the rounds", 3),
        _curves(partition, by_attack, look),
        Details("Settings and traffic of each method", [settings_table(by_attack)]),
    ]


def comparison_pictures(results: Sequence[Record]) -> Iterator[tuple[str, bytes]]:
    """Yield the worst cases and the curves of each partition as PNG and SVG, with their file names."""
    found = Comparison.of(results)
    look = _strokes(found)
    for partition, by_attack in found.tables.items():
        for chart in (_worst_chart, _curves):
            yield from chart(partition, by_attack, look).pictures(pdf=False)


def plot(results: Sequence[Record]) -> alt.ConcatChart:
    """Return the curves of all partitions for a notebook, one panel per partition and attack."""
    found = Comparison.of(results)
    look, groups, score = _strokes(found), found.tables, choose_score(results)
    panels = tuple(
        _curve_panel(attack if len(groups) == 1 else f"{partition}, {attack}", by_method, look, score)
        for partition, by_attack in groups.items()
        for attack, by_method in by_attack.items()
    )
    return notebook_chart(Drawing("curves", panels))


def html(results: Sequence[Record]) -> str:
    """Return the tables for a notebook."""
    return "".join(
        Paragraph(heading(cells_of(by_attack))).__html__() + accuracy_table(by_attack).__html__()
        for by_attack in Comparison.of(results).tables.values()
    ) + "".join(Paragraph(line, "fails").__html__() for line in list_guessers(Comparison.of(results).tables))


def _strokes(found: Comparison) -> dict[str, Stroke]:
    return strokes(place.method for place in found.places)


def _worst_chart(partition: str, by_attack: ByAttack, look: Mapping[str, Stroke]) -> Drawing:
    score = choose_score(cells_of(by_attack))
    lost = lost_attacks(by_attack, score)
    dots = [
        Dot(
            case.method,
            attack,
            score.of(by_method[case.method].last),
            cell_text(by_method[case.method]),
            worst=attack == case.attack,
            withstood=attack not in lost,
        )
        for case in worst_cases(by_attack, score)
        for attack, by_method in by_attack.items()
        if case.method in by_method
    ]
    known = [max(dot.value, score.least) for dot in dots if dot.value is not None]
    limits = [limit for by_method in by_attack.values() if (limit := ceiling_of(by_method)) is not None and limit < 1]
    guesses = [level for by_method in by_attack.values() if (level := guessing_of(by_method)) is not None]
    axis = fit_axis(score.title, known, limits, share=score.share)
    levels = min(guesses, default=None), min(limits, default=None)
    crosses = f"Crosses: attacks that no method withstood ({', '.join(lost)})." if lost else ""
    return worst_chart(
        f"worst-{file_name(partition)}",
        dots,
        look,
        axis,
        score,
        levels,
        ("", crosses),
    )


def _curves(partition: str, by_attack: ByAttack, look: Mapping[str, Stroke]) -> Drawing:
    """Return the score over rounds: one panel per attack, one line per method, the ceiling dotted."""
    cells = cells_of(by_attack)
    score, below = choose_score(cells), " " * any(cell.last is None for cell in cells)
    panels = [_curve_panel(attack, by_method, look, score, below) for attack, by_method in by_attack.items()]
    return Drawing(f"curves-{file_name(partition)}", tuple(panels), "Each panel has its own axis.")


def _curve_panel(
    attack: str, by_method: Mapping[str, Cell], look: Mapping[str, Stroke], score: Score, below: str = ""
) -> Panel:
    """Return the panel of an attack. Its subtitle names the methods that diverged, or is `below`."""
    rows: list[Row] = [
        {"attack": attack, "method": method} | row for method, cell in by_method.items() for row in _points(cell, score)
    ]
    limit = ceiling_of(by_method) if score.name == "accuracy" else None
    shown = [limit] if limit is not None and limit < 1 else []
    values = [row[score.name] for row in rows if row[score.name] is not None]
    ends = [value for cell in by_method.values() if (value := score.of(cell.last)) is not None]
    lost = [f"{method} {cell_text(cell)}" for method, cell in by_method.items() if cell.last is None]
    return line_panel(
        rows,
        x="round",
        y=score.name,
        series="method",
        look=look,
        axis=score_axis(score, ends, [*values, *shown]),
        title=attack,
        subtitle=", ".join(lost) or below,
        limit=shown[0] if shown else None,
        band=("low", "high") if any("low" in row for row in rows) else None,
        tips=["attack"],
    )


def _points(cell: Cell, score: Score) -> Iterator[Row]:
    """Yield the score of each evaluation, with one standard error below and above where there are several seeds."""
    for at, point in enumerate(cell.history):
        value, error = score.of(point), score.of(cell.errors[at]) if cell.errors else None
        row: Row = {"round": point.round, score.name: value}
        yield row if value is None or error is None else row | {"low": value - error, "high": value + error}
