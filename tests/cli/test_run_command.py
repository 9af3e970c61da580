"""`holdfast run`: one JSON object for programs, plain lines for pipes, a live bar for people."""

import json
import os
import pty
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from changed import ready
from holdfast.cli import main, make_parser
from holdfast.cli.spec_flags import read_spec
from holdfast.engines.engine_options import EngineOptions, InProcess, Ray
from holdfast.methods import Rsa
from holdfast.runs.plan import fill_defaults
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec

FAST = ["run", "--data", "digits", "--method", "rsa", "--rounds", "10", "--eval-every", "5"]
SPEC = Spec(data="digits", method="rsa", rounds=10, eval_every=5)
ESCAPE = "\x1b"

pytestmark = pytest.mark.usefixtures("compiled")


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run_json(argv: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, Any], str]:
    assert main([*argv, "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.out.count("\n") == 1
    result: dict[str, Any] = json.loads(printed.out)
    return result, printed.err


def test_json_is_one_object_on_stdout_and_all_else_is_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    result, err = run_json([*FAST, "--out", "one"], capsys)
    expected = run(SPEC)
    assert expected.last is not None
    assert result["accuracy"] == expected.accuracy
    assert (result["loss"], result["variance"]) == (expected.last.loss, expected.last.variance)
    assert result["history"] == [evaluation.to_json() for evaluation in expected.history]
    names = {"round", "accuracy", "loss", "variance", "distance", "disagreement", "twins", "metrics"}
    assert [set(line) for line in result["history"]] == [names] * 2
    assert expected.personal is not None
    assert result["personal"] == [vars(worker) for worker in expected.personal]
    assert (result["rounds"], result["diverged"], result["run"]) == (10, None, "one")
    assert (result["bytes_up"], result["bytes_down"]) == (2644, 2644)  # 44 bytes of header
    assert 0 < result["seconds"] < 60
    assert "round 5/10" in err
    assert "run folder: one" in err


def test_a_pipe_gets_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*FAST, "--out", "one"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert ESCAPE not in printed.out
    assert "\r" not in printed.out
    plan, found, *lines = printed.out.splitlines()
    assert plan == "rsa on digits, iid: 20 workers, none of them Byzantine, 10 rounds"
    assert re.fullmatch(r"auto: --method rsa:penalty=\S+ --rate \S+", found)
    assert len(lines) == 8
    for line, round in zip(lines, (5, 10), strict=False):
        assert re.fullmatch(
            rf"round {round}/10  accuracy 0\.\d{{4}}  loss \S+  variance \S+  \d+ rounds/s  \d+ s left", line
        )
    assert re.fullmatch(r"rsa: accuracy 0\.\d{4}  loss \S+  variance \S+  after 10 rounds in \d+\.\d s", lines[2])
    assert re.fullmatch(
        r"(It learned|More than half of .* was learned): accuracy 0\.\d{4} of a possible 1\.0000\.", lines[3]
    )
    assert re.fullmatch(r"On the honest .* their own models reach 0\.\d{4}, the master's 0\.\d{4}\.", lines[4])
    why = "suspicion scores need 5 evaluations, this run has 2; lower --eval-every."
    assert lines[5:] == [
        f"No worker was judged by its messages: {why}",
        "worker by worker: holdfast inspect one",
        "run folder: one",
    ]


def on_a_terminal(argv: list[str], stdout: int | None) -> tuple[bytes, bytes, int]:
    """Return what a program and a person see, when the person's end is a terminal."""
    person, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    for name in ("NO_COLOR", "CI"):
        environment.pop(name, None)
    process = subprocess.Popen(
        [sys.executable, "-m", "holdfast", *argv],
        stdin=subprocess.DEVNULL,
        stdout=terminal if stdout is None else stdout,
        stderr=terminal,
        env=environment,
    )
    os.close(terminal)
    seen = b""
    while True:
        try:
            piece = os.read(person, 65536)
        except OSError:  # Linux: the other end is closed
            break
        if not piece:
            break
        seen += piece
    os.close(person)
    told = process.stdout.read() if process.stdout else b""
    if process.stdout:
        process.stdout.close()
    return told, seen, process.wait()


LIVE = ["run", "--data", "digits", "--method", "rsa", "--rounds", "600", "--eval-every", "100", "--out", "live"]


def test_a_terminal_gets_a_live_line() -> None:
    _, seen, status = on_a_terminal(LIVE, stdout=None)
    assert status == 0
    text = seen.decode()
    assert ESCAPE in text
    assert re.search(r"round\W.*\d+/600", text)
    assert "rounds/s" in text
    assert "left" in text
    assert "accuracy 0.9" in text
    assert "round 100/600  accuracy" not in text, "plain lines are for pipes"
    assert re.search(r"rsa: accuracy 0\.\d{4} .*after 600 rounds", text)
    assert "run folder: live" in text


def test_json_stays_clean_while_a_terminal_watches() -> None:
    told, seen, status = on_a_terminal([*LIVE, "--json"], stdout=subprocess.PIPE)
    assert status == 0
    assert json.loads(told)["rounds"] == 600
    assert told.count(b"\n") == 1
    assert ESCAPE.encode() in seen
    assert b"rounds/s" in seen


def test_file_and_flags_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = replace(SPEC, method="krum", attack="sign-flip:factor=-2", byzantine=(1, 4, 9), seed=1)
    (tmp_path / "spec.toml").write_text(replace(spec, rounds=99).to_toml())
    result, _ = run_json(["run", "spec.toml", "--rounds", "10", "--out", "one"], capsys)
    assert result["rounds"] == 10
    assert Spec.read(tmp_path / "one" / "spec.toml") == ready(spec)
    assert np.load(tmp_path / "one" / "model.npy").tobytes() == run(spec).model.tobytes()


SPEC_FILE = """
[data]
name = "digits"
partition = "by-label"
[method]
name = "trimmed-mean"
trim = 3
stages = [{ name = "bucketing", size = 3 }]
[attack]
name = "gaussian"
scale = 3.0
byzantine = [2, 5, 9]
[training]
rounds = 9
"""


@pytest.mark.parametrize(
    ("argv", "changes"),
    [
        ([], {}),
        (["--rounds", "5"], {"rounds": 5}),
        (["--method", "rsa"], {"method": Rsa()}),
        (["--method", "krum:byzantine=2"], {"method": "krum:byzantine=2"}),
        (["--attack", "gaussian"], {"attack": "gaussian"}),  # with its default scale, not the file's
        (["--attack", "none"], {"attack": None}),
        (["--byzantine", "4"], {"byzantine": 4}),
        (["--byzantine", "1,3"], {"byzantine": (1, 3)}),
        (["--partition", "iid", "--data", "mnist"], {"partition": "iid", "data": "mnist"}),
        (["--engine", "ray", "--shards", "2"], {"engine": Ray(shards=2)}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_flag_for_a_part_replaces_the_part_of_the_file(argv: list[str], changes: dict[str, Any]) -> None:
    Path("spec.toml").write_text(SPEC_FILE)
    spec = Spec(
        data="digits",
        partition="by-label",
        method="bucketing:size=3+trimmed-mean:trim=3",
        attack="gaussian:scale=3",
        byzantine=(2, 5, 9),
        rounds=9,
    )
    assert read_spec(make_parser().parse_args(["run", "spec.toml", *argv])) == replace(spec, **changes)


@pytest.mark.parametrize(
    ("argv", "engine"),
    [
        ([], Ray(shards=3, min_workers=2)),
        (["--shards", "5"], Ray(shards=5, min_workers=2)),
        (["--engine", "ray"], Ray()),
        (["--engine", "ray:shards=7", "--round-timeout", "0.5"], Ray(shards=7, round_timeout=0.5)),
        (["--engine", "simulated"], InProcess()),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_the_engine_of_a_file_and_of_flags(argv: list[str], engine: EngineOptions) -> None:
    Path("spec.toml").write_text('[engine]\nname = "ray"\nshards = 3\nmin-workers = 2\n')
    assert read_spec(make_parser().parse_args(["run", "spec.toml", *argv])).engine == engine


def test_a_file_may_come_after_flags() -> None:
    Path("spec.toml").write_text("[training]\nrounds = 9\n")
    assert read_spec(make_parser().parse_args(["run", "--seed", "3", "spec.toml"])) == Spec(rounds=9, seed=3)


def test_numbers_that_were_found_are_said_as_flags(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["--method", "rsa:norm=2,penalty=auto", "--rate", "auto", "--out", "one"]
    assert main([*FAST, *argv]) == 0
    first = capsys.readouterr().out.splitlines()[1]
    said = read_spec(make_parser().parse_args(["run", *shlex.split(first.removeprefix("auto: "))]))
    ran = Spec.read(Path("one", "spec.toml"))
    assert (fill_defaults(said).method, said.rate) == (ran.method, ran.rate)
    assert first.startswith("auto: --method rsa:penalty=0.")


def test_flags_alone_give_the_run_of_the_library(tmp_path: Path) -> None:
    argv = ["--method", "rsa:norm=inf", "--attack", "gaussian", "--byzantine", "3,7", "--dtype", "float64"]
    assert main([*FAST, *argv, "--partition", "by-label", "--out", "one"]) == 0
    spec = replace(SPEC, method=Rsa(norm=inf), attack="gaussian", byzantine=(3, 7), dtype="float64")
    model = np.load(tmp_path / "one" / "model.npy")
    assert model.dtype == np.float64
    assert model.tobytes() == run(replace(spec, partition="by-label")).model.tobytes()


def test_without_out_every_run_gets_a_folder_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [run_json(FAST, capsys)[0]["run"] for _ in range(3)]
    assert len(set(folders)) == 3
    for folder in folders:
        assert Path(folder).parent == Path("runs")
        assert Path(folder).name.split("-")[2] == "rsa"
        assert (tmp_path / folder / "result.json").is_file()


def test_the_folder_holds_the_files_of_the_docs(tmp_path: Path) -> None:
    assert main([*FAST, "--checkpoint-every", "4", "--out", "deep/er"]) == 0
    folder = tmp_path / "deep" / "er"
    assert {path.name for path in folder.iterdir()} == {
        "spec.toml", "versions.json", "records.jsonl", "checkpoint.npz", "checkpoint.previous.npz", "model.npy",
        "model.json", "result.json", ".lock",
    }  # fmt: skip
    versions = json.loads((folder / "versions.json").read_text())
    assert {"holdfast", "python", "numpy", "numba", "llvmlite", "blas", "cpu", "target", "data_sha256"} <= set(versions)
    spec = Spec.read(folder / "spec.toml")
    assert spec == fill_defaults(spec)


@pytest.mark.parametrize("name", ["odd [bold] name", "a[1]", "über", "x[", ":smile:"])
def test_a_folder_is_printed_as_it_is_called(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*FAST, "--out", name]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"run folder: {name}"
    assert Path(name, "model.npy").is_file()


def test_a_long_folder_is_printed_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    name = "/".join(["long"] * 40)
    assert main([*FAST, "--out", name]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"run folder: {name}"


def test_a_problem_without_classes_prints_its_own_measures(capsys: pytest.CaptureFixture[str]) -> None:
    argv = [*FAST, "--problem", "least-squares", "--rate", "1e-9", "--out", "one"]
    assert main(argv) == 0
    out = capsys.readouterr().out
    assert "accuracy" not in out
    assert "None" not in out
    assert re.search(r"rsa: rmse \d\S*  r2 -?\d\S*  loss \d", out)
