"""The page of an arena of several tasks: one leaderboard, one panel per task and partition, files of their own."""

from dataclasses import replace

import pytest

from holdfast.attacks import Duplicate, SignFlip
from holdfast.data import ByLabel, Dirichlet, Iid, Partition
from holdfast.methods import make_method, method_labels
from holdfast.report.arena_charts import robustness_chart, worst_case_chart
from holdfast.report.arena_page import (
    arena_page,
    arena_pictures,
    leaderboard,
    leaderboard_tables,
    split_by_partition,
    task_rankings,
)
from holdfast.runs.metrics import Evaluation
from holdfast.runs.records import Record
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import make_model
from holdfast.studies.arena_plan import Arena, Bout
from holdfast.studies.leaderboard import BoutResult, Leaderboard

METHODS = tuple(map(make_method, ("rsa", "watchful-rsa", "sgd", "median", "krum", "trimmed-mean", "cge", "faba")))
MODELS = (make_model("softmax"), make_model("mlp:hidden=8"))
ARENA = Arena(
    Spec(data="digits", workers=10), ("digits",), MODELS, METHODS, (SignFlip(), Duplicate()), (Iid(), ByLabel()),
    ((2, 2), (4, 4)),
)  # fmt: skip


def board_of(arena: Arena, turned: Partition | None = None) -> Leaderboard:
    """Return a board on which methods end the lower the later they come, and networks lower than softmax.

    On the partition `turned` they end the higher the later they come, but by less.
    """

    def ended(bout: Bout) -> Record:
        place = METHODS.index(bout.method)
        value = 0.1 + 0.01 * place if bout.condition.partition == turned else 0.9 - 0.1 * place
        value -= 0.05 * (bout.condition.task.model == MODELS[1])
        return Record(Spec(rate=0.1), (Evaluation(1, value, 0.0, 0.0, 0.0),), 1, None, None, 1.0, 0.0)

    return Leaderboard.of(BoutResult(bout, (ended(bout),)) for bout in arena.bouts())


BOARD, NAMES = board_of(ARENA), method_labels(METHODS)


def test_the_leaderboard_has_the_share_in_every_task_and_tasks_have_tables() -> None:
    board = leaderboard(BOARD)
    rows = board.rows
    assert board.head == ["method", "kept", "softmax", "mlp:hidden=8"]
    assert rows[0] == ("rsa", "88%", "90%", "85%")  # the mean of 0.9 and 0.85 is 0.875
    assert board.best == [(0, 1), (0, 2), (0, 3)]
    tables = task_rankings(BOARD)
    assert [task.text for task in tables] == ["softmax", "mlp:hidden=8"]
    for table in tables.values():
        assert table.head[:3] == ["method", "iid, no attack", "iid, q = 2"]
        assert [row[0] for row in table.rows] == [row[0] for row in rows], "methods in the order of the leaderboard"
    assert tables[BOARD.conditions[-1].task].rows[1][2] == "0.750 sign-flip"
    assert len(list(leaderboard_tables(BOARD))) == 1 + 2


def test_one_task_has_one_table_with_its_conditions() -> None:
    alone = board_of(replace(ARENA, models=MODELS[:1]))
    assert leaderboard(alone).head[:4] == ["method", "kept", "iid, no attack", "iid, q = 2"]
    assert task_rankings(alone) == {}
    (table,) = leaderboard_tables(alone)
    assert table.title == "accuracy at the end, worst case over the attacks"


def test_of_many_conditions_every_partition_has_a_table_of_its_own() -> None:
    """Nine would not fit beside each other on a page; what is best in a column stays so."""
    arena = replace(ARENA, models=MODELS[:1], partitions=(Iid(), Dirichlet(0.5), ByLabel()))
    board = board_of(arena, turned=ByLabel())
    first, second, third = split_by_partition(leaderboard(board), board.conditions)
    assert first.head == ["method", "kept", "iid, no attack", "iid, q = 2", "iid, q = 4"]
    assert second.head[1:] == [f"dirichlet:alpha=0.5, {each}" for each in ("no attack", "q = 2", "q = 4")]
    assert third.rows[0] == ("rsa", "0.100", "0.100 sign-flip", "0.100 sign-flip")
    assert first.best == [(0, 1), (0, 2), (0, 3), (0, 4)]
    assert third.best == [(7, 1), (7, 2), (7, 3)]
    assert split_by_partition(leaderboard(BOARD), ()) == [leaderboard(BOARD)]
    tables = 3 + len(board.conditions)  # of the leaderboard, and one of cells per condition
    assert arena_page(arena, board).html().count('<table class="wraps">') == tables


def test_robustness_has_a_panel_for_every_task_and_partition() -> None:
    drawn = robustness_chart(BOARD, NAMES)
    titles = [panel.chart.to_dict()["title"] for panel in drawn.panels]
    assert [(title["text"], title["subtitle"]) for title in titles] == [
        ("iid", "softmax"),
        ("by-label", "softmax"),
        ("iid", "mlp:hidden=8"),
        ("by-label", "mlp:hidden=8"),
    ]
    for panel, (_, model) in zip(drawn.panels, [(0, "softmax")] * 2 + [(0, "mlp:hidden=8")] * 2, strict=True):
        points = [(row["method"], row["byzantine"]) for row in panel.rows]
        assert len(points) == len(set(points)), "no line has two values at one place"
        assert {row["task"] for row in panel.rows} == {model}


def test_pictures_of_different_tasks_are_different_files() -> None:
    names = [name for name, _ in arena_pictures(board_of(replace(ARENA, methods=METHODS[:1])))]
    assert len(names) == len(set(names)) == 2 * 2 * 2 * 2  # tasks, partitions, counts; PNG and SVG
    assert "worst-mlp-hidden=8-by-label-q=4.png" in names


def test_eight_methods_have_eight_colours_the_same_in_every_condition() -> None:
    board, found = board_of(ARENA, turned=ByLabel()), []
    names = method_labels(board.ranked)
    for condition in (each for each in board.conditions if each.byzantine):
        (panel,) = worst_case_chart(board, condition, names).panels
        scale = panel.chart.to_dict()["layer"][0]["encoding"]["color"]["scale"]
        found.append(dict(zip(scale["domain"], scale["range"], strict=True)))
    assert len(set(found[0].values())) == len(METHODS)
    assert all(each == found[0] for each in found)


@pytest.mark.parametrize("models", [MODELS, MODELS[:1]], ids=["two tasks", "one task"])
def test_the_page_shows_every_condition_once(models: tuple[object, ...]) -> None:
    arena = replace(ARENA, models=models)
    page = arena_page(arena, board_of(arena)).html()
    assert page.count("Every cell, with its best moment") == len(arena.conditions())
    assert ("Models: softmax, mlp:hidden=8." in page) == (len(models) > 1)
