"""What was found for the user and not asked for is said: by `run`, `compare`, `theory` and `advise` alike."""

from pathlib import Path

import pytest
from commands import command
from sklearn.datasets import load_wine

from holdfast.methods import DEFAULT

SHORT = ["--rounds", "60", "--eval-every", "60"]


@pytest.fixture(scope="module")
def wine(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("data") / "wine.csv"
    load_wine(as_frame=True).frame.to_csv(path, index=False)
    return str(path)


@pytest.mark.parametrize("name", ["run", "compare", "theory", "advise"])
def test_what_the_data_decided_is_said(name: str, wine: str, tmp_path: Path) -> None:
    given = {"run": SHORT, "compare": [*SHORT, "--jobs", "1"], "theory": [], "advise": []}[name]
    out = [] if name == "theory" else ["--out", str(tmp_path / "out")]
    ended = command(name, "--data", wine, "--workers", "5", *given, *out)
    assert ended.status == 0
    said = ended.stdout.splitlines()
    if name == "run":
        assert said.pop(0) == f"{DEFAULT} on {wine}, iid: 5 workers, none of them Byzantine, 60 rounds"
    assert said[0] == f"{wine}: 178 rows, 13 features; names of the columns in row 1"
    assert said.count("problem: softmax, since the target has 3 classes (--problem names another)") == 1
    assert sum(line.startswith("features: standardised") for line in said) == 1
    if name != "advise":  # whose numbers are its advice
        assert any(line.startswith("auto: ") for line in said)


def test_compare_says_the_numbers_of_each_method_once(tmp_path: Path) -> None:
    methods = ["rsa", "rsa:norm=1", "rsa:penalty=0.5", "sgd"]
    swept = ["--attack", "none", "sign-flip", "--byzantine", "2", "--workers", "5"]
    out = ["--jobs", "1", "--out", str(tmp_path / "out")]
    ended = command("compare", "--data", "digits", "--method", *methods, *swept, *SHORT, *out)
    said = [line.split(": ")[1:] for line in ended.stdout.splitlines() if line.startswith("auto: ")]
    assert [label for label, _ in said] == [
        "rsa:norm=2,penalty=auto",
        "rsa:norm=1,penalty=auto",
        "rsa:norm=2,penalty=0.5",
        "sgd",
    ]
    (both, _, fixed, gradients) = (numbers for _, numbers in said)
    assert " to " in both.split(", alpha")[0]
    assert fixed.startswith("lambda 0.5, alpha ")
    assert gradients.startswith("alpha ")


def test_compare_says_a_warning_once_per_kind(tmp_path: Path) -> None:
    swept = [
        "--method",
        "sgd",
        "rsa",
        "--attack",
        "sign-flip",
        "--byzantine",
        "2",
        "--workers",
        "5",
        "--seed",
        "0",
        "1",
    ]
    out = ["--jobs", "1", "--out", str(tmp_path / "out")]
    ended = command("compare", "--data", "digits", *swept, *SHORT, *out)
    risen = [line for line in ended.stdout.splitlines() if "the loss has risen" in line]
    assert len(risen) == 1
    assert risen[0].endswith("the model is no better than guessing (2 of 4 runs alike)")
