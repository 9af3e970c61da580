"""Parts from outside the package, named on the command line as `package.module:Name`."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from holdfast.runs.runner import run
from holdfast.runs.spec import Spec

MINE = '''
from dataclasses import dataclass

import numpy as np

from holdfast.attacks import ColludingAttack, LocalAttack
from holdfast.data import Dataset
from holdfast.problems import Softmax


@dataclass(frozen=True)
class Middle:
    """The mean of the rows between two quantiles of their lengths."""

    share: float = 0.5

    def __call__(self, rows):
        lengths = np.linalg.norm(rows, axis=1)
        low, high = np.quantile(lengths, [0.5 - self.share / 2, 0.5 + self.share / 2])
        return rows[(lengths >= low) & (lengths <= high)].mean(axis=0)


@dataclass(frozen=True)
class Shout(LocalAttack):
    volume: float = 2.0

    def __call__(self, view):
        return view.own * self.volume


@dataclass(frozen=True)
class Opposite(ColludingAttack):
    def __call__(self, view):
        return np.repeat(-view.honest.mean(axis=0, keepdims=True), len(view.workers), axis=0)


def small():
    from holdfast import load

    digits = load("digits")
    return Dataset(
        "small", digits.train_features[:200], digits.train_targets[:200], digits.test_features, digits.test_targets
    )
'''
BASE = ["--workers", "6", "--byzantine", "2", "--rounds", "4", "--eval-every", "2"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder in which the user keeps a package, away from this one's."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "parts.py").write_text(MINE)
    return tmp_path


def holdfast(folder: Path, *argv: str) -> "subprocess.CompletedProcess[str]":
    """Run the installed command, which does not look into the current folder by itself as `python -m` does."""
    script = "import sys; sys.path.pop(0); from holdfast.cli import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", script, *argv],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def ran(folder: Path, *argv: str) -> Any:
    ended = holdfast(folder, *argv, *BASE, "--json", "--out", "out")
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def test_a_rule_an_attack_and_data_of_ones_own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rule, attack = "mine.parts:Middle:share=0.6", "mine.parts:Shout:volume=-3"
    found = ran(folder, "run", "--method", rule, "--attack", attack, "--data", "mine.parts:small")
    monkeypatch.syspath_prepend(str(folder))
    spec = Spec(method=rule, attack=attack, data="mine.parts:small", workers=6, byzantine=2, rounds=4, eval_every=2)
    expected = run(spec)
    assert found["accuracy"] == expected.accuracy
    assert found["method"] == rule
    versions = json.loads((folder / "out" / "versions.json").read_text())
    assert {"mine.parts:Middle", "mine.parts:Shout"} <= {source["name"] for source in versions["sources"]}
    assert all(source["file"] == str(folder / "mine" / "parts.py") for source in versions["sources"])


def test_a_run_with_changed_code_is_not_resumed(folder: Path) -> None:
    ran(folder, "run", "--method", "mine.parts:Middle", "--data", "digits")
    assert holdfast(folder, "resume", "out").returncode == 0
    (folder / "mine" / "parts.py").write_text(MINE.replace("0.5", "0.4"))
    refused = holdfast(folder, "resume", "out")
    assert refused.returncode == 2
    assert "a run resumes with the code it began with" in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_parts_of_ones_own_are_compared_in_other_processes(folder: Path) -> None:
    methods = ["rsa", "mine.parts:Middle", "nnm+mine.parts:Middle:share=0.9"]
    found = ran(
        folder, "compare", "--data", "digits", "--jobs", "2",
        "--method", *methods, "--attack", "mine.parts:Opposite", "mine.parts:Shout",
    )  # fmt: skip
    entries = [(entry["attack"], entry["method"]) for entry in found["runs"]]
    labels = ["rsa", "mine.parts:Middle", "nnm+mine.parts:Middle"]
    assert entries == [(attack, label) for attack in ("mine.parts:Opposite", "mine.parts:Shout") for label in labels]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--method", "mine.parts:Midle"], "method 'mine.parts:Midle' must be something that can be imported; got"),
        (["--attack", "mine.prats:Shout"], "attack 'mine.prats:Shout' must be something that can be imported; got"),
        (["--attack", "mine.parts:Shout:volum=1"], "(did you mean 'volume'?); known: volume"),
        (["--method", "mine.parts:Middle:share=x"], "share of method 'mine.parts:Middle' must be a number; got 'x'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_not_there_is_one_line(argv: list[str], message: str, folder: Path) -> None:
    refused = holdfast(folder, "run", "--data", "digits", *BASE, *argv)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert message in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_a_safe_path_is_respected(folder: Path) -> None:
    argv = ("run", "--data", "digits", *BASE, "--method", "mine.parts:Middle")
    script = "import sys; from holdfast.cli import main; sys.exit(main())"
    refused = subprocess.run(
        [sys.executable, "-P", "-c", script, *argv],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert refused.returncode == 2
    assert "No module named 'mine'" in refused.stderr
