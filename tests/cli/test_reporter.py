"""What the command prints: tables that fit, what the library logs, nothing where it shall be quiet."""

import logging
import re
import subprocess
import sys
from io import StringIO

import pytest
from commands import command
from rich.console import Console
from rich.table import Table

from holdfast.cli.narrow_tables import fit
from holdfast.cli.reporter import Reporter, attach

NAMES = ["rsa:norm=1", "geometric-median", "nnm+trimmed-mean", "sgd", "krum", "centered-clipping"]


def numbers(title: str | None = "digits: 500 rounds") -> Table:
    table = Table(title=title)
    for heading in ("attack", *NAMES):
        table.add_column(heading.replace("-", "-\n"), justify="right")
    for attack in ("none", "sign-flip:factor=-2"):
        table.add_row(attack, *(f"0.91{column} ±0.004" for column in range(len(NAMES))))
    return table


def sentences() -> Table:
    table = Table(show_header=False, box=None)
    table.add_column(no_wrap=True)
    table.add_row("rsa:norm=1,messages=full", "Every worker keeps its own model, pulled to the master's by an lp norm.")
    return table


def printed(table: Table, width: int) -> list[str]:
    console = Console(width=width, file=StringIO(), color_system=None)
    with console.capture() as captured:
        console.print(fit(table, console))
    return captured.get().splitlines()


@pytest.mark.parametrize("width", [200, 120, 100, 80, 60, 40])
@pytest.mark.parametrize("make", [numbers, sentences])
def test_at_any_width_every_word_is_whole(make: object, width: int) -> None:
    assert callable(make)
    lines = printed(make(), width)
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    assert "…" not in text
    for column in make().columns:
        for cell in (column.header, *column.cells):
            for word in str(cell).split():
                assert word in text, (word, text)


def test_a_table_that_fits_is_left_as_it_is() -> None:
    table = numbers()
    assert fit(table, Console(width=200)) is table


def test_a_turned_table_names_each_value() -> None:
    lines = printed(numbers(), 40)
    assert lines[:3] == ["digits: 500 rounds", "attack none", "  rsa:norm=1         0.910 ±0.004"]
    assert lines[8] == "attack sign-flip:factor=-2"


@pytest.mark.parametrize(
    ("argv", "width"),
    [(["list"], "80"), (["list"], "40"), (["theory", "--data", "digits", "--workers", "4"], "40")],
    ids=["list-80", "list-40", "theory-40"],
)
def test_commands_cut_nothing_on_a_narrow_terminal(
    argv: list[str], width: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    monkeypatch.setattr("holdfast.cli.reporter.WIDE", 0)
    done = command(*argv)
    assert done.status == 0
    assert "…" not in done.stdout
    tables = [line for line in done.stdout.splitlines() if not line.startswith(("package.module", "loading"))]
    assert max(map(len, tables[5:])) <= int(width) + 40  # lines of text are left to the terminal


def test_what_the_library_logs_is_told() -> None:
    done = command("theory", "--data", "digits", "--workers", "4", "--json")
    assert "loading the data and dealing them to 4 workers\n" in done.stderr
    assert re.search(r"looking for the optimum on \d+ samples", done.stderr)
    assert "gradient 1 of" not in done.stderr
    assert command("theory", "--data", "digits", "--workers", "4", "--json", "--quiet").stderr == ""


def test_a_bar_shows_how_far_the_work_is() -> None:
    reporter = Reporter()
    reporter.console, reporter.live = Console(file=StringIO(), force_terminal=True, width=100), True
    attach(reporter)
    logger = logging.getLogger("holdfast.problems.solving")
    with reporter.show_work():
        logger.info("looking")
        logger.debug("gradient", extra={"done": 3, "of": 12})
        assert reporter.steps is not None
        (task,) = reporter.steps.tasks
        assert (task.description, task.completed, task.total) == ("looking", 3, 12)
    logger.debug("gradient", extra={"done": 4, "of": 12})  # nobody watches any more
    logger.warning("odd")
    assert "warning: odd" in reporter.console.file.getvalue()  # type: ignore[attr-defined]
    attach(Reporter())


LIBRARY = """
import holdfast as hf
from dataclasses import replace
from holdfast.insight.advice import advise
spec = hf.Spec(data="digits", workers=5, rounds=3)
hf.run(spec)
advise(replace(spec, byzantine=1))
if __name__ == "__main__":
    hf.compare([spec], jobs=1)
"""


def test_the_library_prints_nothing(tmp_path: object) -> None:
    script = f"{tmp_path}/script.py"
    with open(script, "w") as file:
        file.write(LIBRARY)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, timeout=120)
    assert (done.stdout, done.stderr) == ("", "")
