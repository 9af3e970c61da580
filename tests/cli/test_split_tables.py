"""Leaderboards on a terminal: however many columns, names of methods stay whole and rows stay rows."""

import pytest
from rich.console import Console

from holdfast.cli.narrow_tables import fit, split
from holdfast.report.text_table import TextTable

METHODS = ["watch+nnm+trimmed-mean", "centered-clipping", "rsa"]
CONDITIONS = [
    f"{partition}, {q}"
    for partition in ("iid", "dirichlet:alpha=0.5", "by-label")
    for q in ("no attack", "q = 4", "q = 8")
]
CELL = "0.935 ± 0.006 contrarian"


def lines(width: int, conditions: list[str]) -> list[str]:
    """Return what a terminal of this width shows of a leaderboard."""
    rows = [(method, *(CELL for _ in conditions)) for method in METHODS]
    table = TextTable(["method", *conditions], rows, best=[(0, 1)]).terminal("worst case")
    console = Console(width=width, color_system=None)
    with console.capture() as captured:
        for piece in split(table, console):
            console.print(fit(piece, console))
    return [line.rstrip() for line in captured.get().splitlines()]


@pytest.mark.parametrize(("width", "tables"), [(80, 5), (120, 3), (300, 1)])
def test_a_wide_leaderboard_goes_on_below(width: int, tables: int) -> None:
    shown = lines(width, CONDITIONS)
    assert max(map(len, shown)) <= width
    for method in METHODS:
        rows = [line for line in shown if line.split()[:1] == [method]]
        assert len(rows) == tables
        assert sum(row.count(CELL) for row in rows) == len(CONDITIONS), "no cell is cut or wrapped"
    assert sum("worst case" in line for line in shown) == 1
    assert not any("…" in line for line in shown)


def test_what_fits_is_left_as_it_is() -> None:
    shown = lines(80, CONDITIONS[:1])
    assert any("iid, no attack" in line for line in shown)
    assert sum(line.split()[:1] == ["rsa"] for line in shown) == 1


def test_no_word_of_a_title_is_cut() -> None:
    title = "mnist, cnn:first=8,second=16,hidden=32,halve=strides: worst case"
    console = Console(width=80, color_system=None)
    with console.capture() as captured:
        console.print(fit(TextTable(["method", "kept"], [("rsa", "51%")]).terminal(title), console))
    assert "cnn:first=8,second=16,hidden=32,halve=strides:" in captured.get()


def test_the_best_stay_marked() -> None:
    rows = [(method, *(CELL for _ in CONDITIONS)) for method in METHODS]
    console = Console(width=80)
    first, *_ = split(TextTable(["method", *CONDITIONS], rows, best=[(0, 1)]).terminal(), console)
    assert [str(getattr(cell, "style", "")) for cell in first.columns[1].cells] == ["bold", "", ""]


def test_a_terminal_too_narrow_for_two_columns_has_blocks() -> None:
    shown = lines(30, CONDITIONS)
    assert max(map(len, shown)) <= 30
    assert "method watch+nnm+trimmed-mean" in shown
