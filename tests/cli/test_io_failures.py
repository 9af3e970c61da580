"""When files cannot be read or written: one line, one documented status, and nothing finished is lost."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from holdfast import methods
from holdfast.cli import main
from holdfast.cli.reporter import printable
from holdfast.errors import InvalidInput
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec

pytestmark = pytest.mark.usefixtures("compiled")

RUN = ["run", "--data", "digits", "--rounds", "8", "--eval-every", "2", "--checkpoint-every", "4", "--workers", "5"]
COMPARE = ["compare", "--data", "digits", "--rounds", "2", "--method", "rsa", "--workers", "5", "--jobs", "1"]


def ended(argv: Sequence[str], most: int | None = None, **options: object) -> "subprocess.CompletedProcess[str]":
    """Run a command in a process that may write files of at most so many bytes."""

    def limit() -> None:
        if most is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    words = [sys.executable, "-m", "holdfast", *argv]
    return subprocess.run(words, text=True, stderr=subprocess.PIPE, preexec_fn=limit, check=False, **options)  # type: ignore[call-overload,no-any-return]


def told(done: "subprocess.CompletedProcess[str]", status: int) -> str:
    assert (done.returncode, done.stderr.count("\n")) == (status, 1), done.stderr
    assert done.stderr.startswith("holdfast: ")
    return done.stderr


def test_a_run_that_may_write_no_more_is_resumed(tmp_path: Path) -> None:
    """Checkpoints have 20 kB; what is checked before has 4."""
    out, whole = tmp_path / "run", tmp_path / "whole"
    assert main([*RUN, "--out", str(whole)]) == 0
    line = told(ended([*RUN, "--out", str(out)], 10_000, stdout=subprocess.DEVNULL), 74)
    assert ": File too large; resume with: holdfast resume " in line
    assert "checkpoint.npz" in line
    assert not list(out.glob(".*.part"))
    assert main(["resume", str(out)]) == 0
    for name in ("records.jsonl", "model.npy"):
        assert (out / name).read_bytes() == (whole / name).read_bytes()


@pytest.mark.parametrize("argv", [RUN, COMPARE, ["advise", "--data", "digits"], ["tune", "--data", "digits"], ["demo"]])
def test_what_cannot_be_written_is_said_before_anything_is_computed(argv: list[str], tmp_path: Path) -> None:
    line = told(ended([*argv, "--out", str(tmp_path / "out")], 100, stdout=subprocess.DEVNULL), 2)
    assert "--out must name a folder that can be written" in line
    assert not (tmp_path / "out").exists()


def test_a_comparison_whose_page_cannot_be_written_has_its_results(tmp_path: Path) -> None:
    """The page has more than 500 kB, the results about 10."""
    argv = [*COMPARE, "--out", str(tmp_path / "out")]
    line = told(ended(argv, 100_000, stdout=subprocess.DEVNULL), 74)
    assert "File too large" in line
    assert len(json.loads((tmp_path / "out" / "results.json").read_text())["runs"]) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_what_cannot_be_printed_is_told(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        done = ended([*RUN, "--json", "--out", str(tmp_path / "run")], stdout=full)
    assert done.returncode == 74
    assert done.stderr.splitlines()[-1].startswith("holdfast: ")
    assert "Traceback" not in done.stderr
    assert "got what is printed: No space left on device" in done.stderr
    assert (tmp_path / "run" / "result.json").exists()


LONG = "x" * 5000


@pytest.mark.parametrize(
    "argv",
    [
        ["run", "--data", f"{LONG}.npz"],
        ["run", f"{LONG}.toml"],
        [*RUN, "--out", LONG],
        [*COMPARE, "--out", LONG],
        ["advise", "--data", "digits", "--out", LONG],
        ["tune", "--data", "digits", "--out", LONG],
        ["resume", LONG],
        ["inspect", LONG],
    ],
    ids=lambda argv: " ".join(argv)[:30],
)
def test_a_path_that_is_too_long_is_refused(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(argv) == 2
    printed = capsys.readouterr()
    assert printed.err.count("\n") == 1
    assert "File name too long" in printed.err


def test_an_out_below_a_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    for argv in (RUN, COMPARE):
        assert main([*argv, "--out", str(tmp_path / "file" / "out")]) == 2
        assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tmp_path.chmod(0o500)
    for argv in (RUN, COMPARE):
        assert main([*argv, "--out", str(tmp_path / "out")]) == 2
        assert "Permission denied" in capsys.readouterr().err


# -- names that a terminal would obey ----------------------------------------------------------------------------

EVIL = "a\x1b]0;mine\x07\x1b[31mb\u202ec\nd"


def test_escapes_in_names_are_shown_and_not_obeyed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for argv in (["resume", EVIL], ["run", "--data", f"{EVIL}.npz"], ["run", f"{EVIL}.toml"], ["compare", EVIL]):
        assert main(argv) == 2
        line = capsys.readouterr().err
        assert line.count("\n") == 1
        assert line.removesuffix("\n").isprintable(), repr(line)
    assert main([*RUN, "--out", EVIL]) == 0
    printed = capsys.readouterr().out
    assert r"run folder: a\x1b]0;mine\x07\x1b[31mb\u202ec" in printed
    assert printed.replace("\n", "").isprintable()


def test_ordinary_text_is_left_as_it_is() -> None:
    for text in ("runs/über-größe", "日本", "a b\\c", "λ = 0.07", "two\nlines"):
        assert printable(text) == text


def test_a_name_that_is_no_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    features = np.random.default_rng(0).normal(size=(40, 3))
    path = f"{tmp_path}/odd\udcff.npz"
    with open(path, "wb") as file:
        np.savez(file, x=features, y=features[:, 0] > 0)
    argv = ["run", "--data", path, "--workers", "2", "--rounds", "2", "--out", str(tmp_path / "run")]
    assert main(argv) == 2
    assert "names that are text" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


# -- however few are asked ---------------------------------------------------------------------------------------


NEEDS_MORE = ("krum", "multi-krum", "bulyan")


@pytest.mark.parametrize("method", [*methods.REGISTRY, "rsa:messages=bits", "rsa:norm=2", "nnm+median"])
def test_at_least_one_worker_is_asked(method: str) -> None:
    spec = Spec.of({"data": "digits", "workers": 6, "rounds": 3, "participation": 1e-12, "method": method})
    if method in NEEDS_MORE:
        with pytest.raises(InvalidInput, match=r"needs .*; got n=1\b"):
            run(spec)
    else:
        assert np.isfinite(run(spec).model).all()
