"""`holdfast check`: status 0, 1 or 2, a report to read or one JSON object."""

from pathlib import Path

import pytest

from holdfast.cli import main
from strict_json import strict

OWN = """
from dataclasses import dataclass

@dataclass(frozen=True)
class First:
    place: int = 0

    def __call__(self, rows):
        return rows[self.place].copy()

def middle(rows):
    return (rows.min(axis=0) + rows.max(axis=0)) / 2
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module of the user's own in the current folder."""
    (tmp_path / "own_parts_to_check.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    return "own_parts_to_check"


def test_all_laws_hold(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "sign-flip:factor=-2"]) == 0
    first, *lines = capsys.readouterr().out.splitlines()
    assert first == "attack SignFlip(factor=-2.0)"
    assert lines[1].startswith("  holds   sends-one-row-each: Every Byzantine worker sends one row")
    assert "  -       says-whether-it-uses-own: uses_own is True: it may" in lines


def test_a_law_does_not_hold(own: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", f"{own}:First:place=1"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "rule First(place=1)"
    (at,) = [number for number, line in enumerate(lines) if line.startswith("  BROKEN  ignores-the-order: ")]
    assert lines[at + 1].startswith("          rows=array([[0.1257, -0.1321], ")


def test_as_json(own: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", f"{own}:First", "--json"]) == 1
    report = strict(capsys.readouterr().out)
    assert (report["part"], report["kind"], report["holds"]) == ("First(place=0)", "rule", False)
    assert [set(law) for law in report["laws"]] == [
        {"law", "says", "holds", "counterexample", "required", "note"}
    ] * len(report["laws"])
    broken = {law["law"]: law["counterexample"] for law in report["laws"] if law["holds"] is False and law["required"]}
    assert list(broken) == ["ignores-the-order"]
    assert broken["ignores-the-order"].startswith("rows=")


def test_robustness_is_demanded_on_request(own: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", f"{own}:middle"]) == 0
    assert "  no      stays-bounded: " in capsys.readouterr().out
    assert main(["check", f"{own}:middle", "--robust"]) == 1
    assert "  BROKEN  stays-bounded: " in capsys.readouterr().out


def test_the_kind_can_be_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "median", "--kind", "method"]) == 0
    assert capsys.readouterr().out.startswith("method median\n")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["krumm"], "unknown part 'krumm' (did you mean 'krum'?)"),
        (["krum", "--kind", "rul"], "unknown kind 'rul' (did you mean 'rule'?); known: stage, attack,"),
        (["krum:byzantine=x"], "byzantine of rule 'krum'"),
        (["no_such_module:Name"], "must be something that can be imported; got No module named 'no_such_module'"),
        (["rsa", "--robust"], "--robust is for rules and stages; got the method rsa"),
        (["sign-flip", "--kind", "rule"], "unknown rule 'sign-flip'"),
    ],
)
def test_bad_input(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *words]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert says in printed.err
    assert len(printed.err.splitlines()) == 1
