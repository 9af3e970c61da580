"""`holdfast inspect`: a table, a page, one JSON object; one line when the folder is not a run's."""

import json
from pathlib import Path

import pytest

from holdfast.cli import main
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec

SPEC = Spec(data="digits", method="rsa", workers=6, byzantine=2, attack="duplicate", rounds=20, eval_every=4)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    run(SPEC, tmp_path / "run")
    return tmp_path / "run"


def test_a_table_and_a_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(folder)]) == 0
    printed = capsys.readouterr().out
    assert "Copies of each other, one of them perhaps honest: 1, 5, 6." in printed
    assert f"page of the run: {folder / 'report.html'}" in printed
    assert printed.count("Byzantine") == 2
    assert (folder / "report.html").read_text().startswith("<!doctype html>")
    assert not list(folder.glob(".*.part"))


def test_json_is_one_object_and_the_page_goes_where_it_is_sent(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = folder.parent / "new" / "page.html"
    assert main(["inspect", str(folder), "--out", str(out), "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.out.count("\n") == 1
    found = json.loads(printed.out)
    assert (found["run"], found["page"], found["over"]) == (str(folder), str(out), True)
    assert [each["worker"] for each in found["workers"] if each["byzantine"]] == [5, 6]
    assert [each["suspicion"]["copied"] for each in found["workers"]] == [True, False, False, False, True, True]
    assert len(found["history"]) == 5
    assert out.exists()
    assert not (folder / "report.html").exists()


def test_an_infinite_norm_is_still_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(Spec(data="digits", workers=3, method="rsa:norm=inf", rounds=2), tmp_path / "run")
    assert main(["inspect", str(tmp_path / "run"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["spec"]["method"]["norm"] == "inf"


def complaint(argv: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["inspect", *argv]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert printed.err.startswith("holdfast: ")
    return printed.err


def test_what_is_not_a_run_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "nowhere", tmp_path / "file"):
        assert "a run's folder must hold its spec.toml; got" in complaint([str(path)], capsys)
    assert "RUN" in complaint([], capsys)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("records.jsonl", "nonsense\n", "must hold one evaluation of this run per line"),
        ("records.jsonl", '{"round": 1}\n', "must hold one evaluation of this run per line"),
        ("records.jsonl", "[1]\n", "must hold one evaluation of this run per line"),
        ("result.json", "nonsense", "must hold the result of this run"),
        ("result.json", "[1]", "must hold the result of this run"),
        ("result.json", '{"personal": [{"worker": 1}]}', "must hold the result of this run"),
        ("spec.toml", "[data]\nworkers = 3\n", "a run keeps the spec it began with"),
        ("versions.json", "{}", "must hold the checksums of spec and data; got no 'sha256'"),
    ],
)
def test_damaged_folders(
    name: str, content: str, expected: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / name).write_text(content)
    assert expected in complaint([str(folder)], capsys)


def test_a_page_that_cannot_be_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "--out must name a file that can be written" in complaint([str(folder), "--out", str(folder)], capsys)
