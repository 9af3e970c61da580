"""`holdfast predict`: a stranger's table in, a table out; and tables through `holdfast run`."""

from pathlib import Path

import pytest
from commands import command

from strict_json import strict

TABLE = "height,colour,kind\n" + "".join(
    f"{n % 10},{'red' if n % 10 > 4 else 'blue'},{'tall' if n % 10 > 4 else 'short'}\n" for n in range(60)
)
QUICK = ("--method", "sgd", "--rate", "1", "--rounds", "200", "--workers", "4")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("own.csv").write_text(TABLE)
    Path("new.csv").write_text("colour,height\nred,9\nblue,0\n")
    return tmp_path


def test_run_says_what_it_guessed_and_predict_writes_a_table() -> None:
    ran = command("run", "--data", "own.csv", *QUICK, "--out", "run")
    assert ran.status == 0
    plan, *lines = ran.stdout.splitlines()
    assert plan == "sgd on own.csv, iid: 4 workers, none of them Byzantine, 200 rounds"
    assert lines[0].startswith("own.csv: 60 rows, 3 features (1 text column as 0 and 1: colour)")
    assert lines[1] == "target: column 'kind', the last column (FILE:target=NAME names another)"
    assert lines[2] == "problem: logistic, since the target has 2 classes (--problem names another)"
    assert lines[3].startswith("features: standardised by what the workers report")
    assert command("predict", "run", "new.csv") == (0, "kind\ntall\nshort\n", "")
    told = command("predict", "run", "new.csv", "--probabilities", "--out", "out.csv")
    assert (told.status, told.stdout, told.stderr) == (0, "", "2 predictions: out.csv\n")
    head, first, _ = Path("out.csv").read_text().splitlines()
    assert head == "kind,p(short),p(tall)"
    assert first.startswith("tall,")


def test_a_text_that_training_never_had_is_mentioned() -> None:
    command("run", "--data", "own.csv", *QUICK, "--out", "run")
    Path("new.csv").write_text("colour,height\ngreen,9\nblue,0\n")
    assert command("predict", "run", "new.csv").stderr == (
        "warning: 1 cells hold texts that the training data never had; they count as 0\n"
    )


def test_what_was_asked_for_is_not_said_again_and_measures_are_in_json() -> None:
    asked = ("--problem", "least-squares", "--scale", "standard", "--json", "--out", "run")
    ran = command("run", "--data", "own.csv:target=height", *QUICK, "--rate", "0.1", *asked)
    assert ran.status == 0
    assert "problem:" not in ran.stderr
    told = strict(ran.stdout)
    assert told["score"] == "r2"
    assert {"rmse", "r2"} <= told.keys()
    assert told["r2"] > 0.5
    assert told["history"][-1]["metrics"].keys() == {"rmse", "r2"}


def test_predict_refuses_in_one_line() -> None:
    command("run", "--data", "own.csv", *QUICK, "--rounds", "2", "--out", "run")
    Path("new.csv").write_text("height\n3\n")
    for argv, reason in (
        (("predict", "run", "new.csv"), "new.csv must have the column 'colour'; got 'height'"),
        (("predict", "run", "absent.csv"), "got 'absent.csv', which is no file"),
        (("predict", "nowhere", "new.csv"), "a run's folder must hold its spec.toml"),
        (("predict", "run", "own.csv", "--out", "own.csv/out.csv"), "--out must name a file that can be written"),
    ):
        told = command(*argv)
        assert (told.status, told.stdout) == (2, "")
        assert reason in told.stderr
        assert told.stderr.count("\n") == 1


def test_a_spec_file_names_tables_beside_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "below").mkdir()
    (folder / "spec.toml").write_text(
        '[data]\nname = "own.csv"\ntarget = "kind"\ntest = "own.csv"\nmissing = "drop"\nworkers = 4\n'
        '[method]\nname = "sgd"\n[training]\nrounds = 2\nrate = 1.0\n'
    )
    monkeypatch.chdir(folder / "below")
    assert command("run", "../spec.toml", "--out", "run").status == 0
    assert command("resume", "run").status == 0
    (folder / "text.toml").write_text('data = "own.csv:target=kind"\n[training]\nrounds = 2\n')
    assert command("run", "../text.toml", "--out", "other").status == 0
