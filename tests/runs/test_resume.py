"""A run that dies at any moment resumes to the bits of the run that never did."""

import json
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np
import pytest

from holdfast import methods
from holdfast.cli import main
from holdfast.errors import InvalidInput
from holdfast.methods import Rsa
from holdfast.runs.metrics import Evaluation
from holdfast.runs.observers import Interrupted
from holdfast.runs.records import Result
from holdfast.runs.runner import resume, run
from holdfast.runs.spec import Spec
from warm_pool import print_nothing

LONG = Spec(data="digits", attack="gaussian", byzantine=4, rounds=1500, eval_every=25, checkpoint_every=40, seed=2)
SHORT = Spec(data="digits", attack="gaussian", byzantine=4, rounds=30, eval_every=4, checkpoint_every=7, batch=8)


@dataclass(frozen=True)
class Reference:
    """What an uninterrupted run left."""

    model: bytes
    records: bytes
    history: list[Evaluation]

    def agrees(self, folder: Path) -> bool:
        return (folder / "model.npy").read_bytes() == self.model and (
            folder / "records.jsonl"
        ).read_bytes() == self.records


def uninterrupted(spec: Spec, folder: Path) -> Reference:
    result = run(spec, folder)
    return Reference((folder / "model.npy").read_bytes(), (folder / "records.jsonl").read_bytes(), result.history)


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    return uninterrupted(LONG, tmp_path_factory.mktemp("long") / "run")


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    return uninterrupted(SHORT, tmp_path_factory.mktemp("short") / "run")


class Watch:
    """Counts rounds, keeps warnings, and asks to stop after some rounds."""

    def __init__(self, stop_after: float = inf) -> None:
        self.stop_after, self.round = stop_after, 0
        self.first: int | None = None
        self.warnings: list[str] = []

    def start(self, spec: Spec, round: int) -> None:
        self.first = round

    def count(self, round: int) -> None:
        self.round = round

    def show(self, evaluation: Evaluation) -> None: ...

    def warn(self, text: str) -> None:
        self.warnings.append(text)

    def __call__(self) -> bool:
        return self.round >= self.stop_after


def stopped(spec: Spec, folder: Path, after: int) -> Path:
    watch = Watch(after)
    with pytest.raises(Interrupted):
        run(spec, folder, watch, watch)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


# -- kill -9 ---------------------------------------------------------------------------------------------------


def begin(spec: Spec, out: Path) -> BaseProcess:
    path = out.with_suffix(".toml")
    path.write_text(spec.to_toml())
    return start("run", str(path), "--out", str(out))


def start(*argv: str) -> BaseProcess:
    """Begin a command in another process, which need not import anything first."""
    process = multiprocessing.get_context("spawn").Process(target=print_nothing, args=argv)
    process.start()
    return process


def lines(out: Path) -> int:
    records = out / "records.jsonl"
    return records.read_bytes().count(b"\n") if records.exists() else 0


def kill_when(process: BaseProcess, ready: Callable[[], bool], delay: float = 0.0) -> None:
    """Kill the process soon after it is ready for it; it must not end by itself."""
    deadline = time.monotonic() + 60
    while not ready() and process.is_alive() and time.monotonic() < deadline:
        time.sleep(0.001)
    time.sleep(delay)
    process.kill()
    process.join()
    assert process.exitcode == -signal.SIGKILL, "the run ended before it could be killed"


@pytest.fixture
def out(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "run"
    shutil.rmtree(tmp_path, ignore_errors=True)


@pytest.mark.parametrize("seen", [1, 2, 20])
def test_killed_after_some_records(seen: int, long: Reference, out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kill_when(begin(LONG, out), lambda: lines(out) >= seen)
    assert not (out / "result.json").exists()
    assert main(["resume", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["history"] == [evaluation.to_json() for evaluation in long.history]
    assert long.agrees(out)


@pytest.mark.parametrize("method", ["watchful-rsa", "watchful-rsa:messages=bits", "watch+median"])
def test_killed_while_the_master_judges(method: str, out: Path, tmp_path: Path) -> None:
    spec = replace(LONG, method=method, partition="by-label", attack="contrarian", byzantine=8, rounds=600)
    whole = uninterrupted(spec, tmp_path / "whole")
    kill_when(begin(spec, out), lambda: lines(out) >= 3)
    result = resume(out)
    assert whole.agrees(out)
    assert result.history[-1].watched is not None
    assert any(each.left_out for each in result.history[-1].watched)


def test_killed_before_the_first_checkpoint(long: Reference, out: Path) -> None:
    spec = replace(LONG, checkpoint_every=10**6)
    kill_when(begin(spec, out), lambda: lines(out) >= 3)
    assert not (out / "checkpoint.npz").exists()
    watch = Watch()
    assert resume(out, watch).history == long.history
    assert watch.first == 0
    assert (out / "model.npy").read_bytes() == long.model  # how often is saved changes no bit


def test_killed_again_and_again_at_random_moments(long: Reference, out: Path) -> None:
    delays = random.Random(7)
    kill_when(begin(LONG, out), (out / "spec.toml").exists)
    for _ in range(2):
        kill_when(start("resume", str(out)), partial(beyond, out, lines(out)), delays.uniform(0, 0.05))
    assert not (out / "result.json").exists()
    assert resume(out).history == long.history
    assert long.agrees(out)
    assert not list(out.glob(".*.part"))


def beyond(out: Path, count: int) -> bool:
    return lines(out) > count


# -- stopped at any round --------------------------------------------------------------------------------------


@pytest.mark.parametrize("after", [1, 3, 4, 6, 7, 8, 14, 27, 28, 29])
def test_stopped_after_any_round(after: int, short: Reference, out: Path) -> None:
    watch = Watch()
    result = resume(stopped(SHORT, out, after), watch)
    assert watch.first == after  # nothing is played twice
    assert result.history == short.history
    assert result.rounds == 30
    assert short.agrees(out)


VARIANTS = [
    *(replace(SHORT, method=method) for method in methods.REGISTRY),
    replace(SHORT, method=Rsa(norm=inf), byzantine=(2, 5, 9, 1)),
    replace(SHORT, method="rsa:norm=1.5,reply=updated", dtype="float64", partition="dirichlet:alpha=0.3"),
    replace(SHORT, problem="least-squares", rate=1e-7),
    replace(SHORT, method="rsa:messages=bits,local_steps=2", participation=0.4),
    replace(SHORT, momentum=0.9, participation=0.4),
    replace(SHORT, method="bucketing+nnm+centered-clipping:radius=0.1", momentum=0.5),
    replace(SHORT, attack="delayed:rounds=4", participation=0.7),
    replace(SHORT, method="median", attack="mimic:warm_up=20"),
]
NAMES = [*methods.REGISTRY, "linf", "float64", "least squares", "bits", "momentum", "stages", "delayed", "mimic"]


@pytest.mark.parametrize("spec", VARIANTS, ids=NAMES)
def test_every_method_resumes(spec: Spec, out: Path) -> None:
    reference = uninterrupted(spec, out.with_name("whole"))
    assert resume(stopped(spec, out, 17)).history == reference.history
    assert reference.agrees(out)


def test_stopped_many_times(short: Reference, out: Path) -> None:
    stopped(SHORT, out, 2)
    for after in range(4, 30, 2):
        watch = Watch(after)
        with pytest.raises(Interrupted):
            resume(out, watch, watch)
    assert resume(out).history == short.history
    assert short.agrees(out)


def test_a_finished_run_resumes_to_itself(short: Reference, out: Path) -> None:
    first = run(SHORT, out)
    watch = Watch()
    again = resume(out, watch)
    assert watch.round == 0, "no round is played again"
    assert without_times(again) == without_times(first)
    assert short.agrees(out)


def without_times(result: Result) -> dict[str, object]:
    told = result.to_json()
    return {key: value for key, value in told.items() if "seconds" not in key}


def test_records_beyond_the_checkpoint_are_set_back(short: Reference, out: Path) -> None:
    stopped(SHORT, out, 10)
    with (out / "records.jsonl").open("a") as file:
        file.write('{"round": 12, "accuracy": 0.5, "loss"')  # a line that was torn by a crash
    assert resume(out).history == short.history
    assert short.agrees(out)


def test_what_was_left_half_written_is_swept(short: Reference, out: Path) -> None:
    stopped(SHORT, out, 10)
    (out / ".checkpoint.npz.4711.part").write_bytes(b"half")
    (out / ".model.npy.4711.part").write_bytes(b"half")
    (out / ".report.html.4711.part").write_bytes(b"somebody inspects the run")
    resume(out)
    (out / ".report.html.4711.part").unlink()
    assert {path.name for path in out.iterdir()} == {
        "spec.toml", "versions.json", "records.jsonl", "checkpoint.npz", "checkpoint.previous.npz", "model.npy",
        "model.json", "result.json", ".lock",
    }  # fmt: skip
    assert short.agrees(out)


# -- damaged checkpoints ---------------------------------------------------------------------------------------


def flipped(content: bytes, position: int, bits: int = 0xFF) -> bytes:
    changed = bytearray(content)
    changed[position] ^= bits
    return bytes(changed)


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "first byte only": lambda content: content[:1],
    "half": lambda content: content[: len(content) // 2],
    "last byte missing": lambda content: content[:-1],
    "zeros": lambda content: bytes(len(content)),
    "second half zero": lambda content: content[: len(content) // 2] + bytes(len(content) // 2),
    "flipped in the arrays": lambda content: flipped(content, len(content) // 2),
    "first byte flipped": lambda content: flipped(content, 0),
    "text": lambda content: b"not a checkpoint\n" * 100,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_checkpoint_falls_back_to_the_one_before(
    damage: Callable[[bytes], bytes], short: Reference, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    newest = stopped(SHORT, out, 20) / "checkpoint.npz"
    newest.write_bytes(damage(newest.read_bytes()))
    watch = Watch(21)
    with pytest.raises(Interrupted):
        resume(out, watch, watch)
    assert watch.first == 14
    assert len(watch.warnings) == 1
    assert str(newest) in watch.warnings[0]
    assert "\n" not in watch.warnings[0]
    assert resume(out).history == short.history
    assert short.agrees(out)


def test_the_command_prints_the_warning(short: Reference, out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    newest = stopped(SHORT, out, 20) / "checkpoint.npz"
    newest.write_bytes(b"")
    assert main(["resume", str(out), "--json"]) == 0
    printed = capsys.readouterr()
    warnings = [line for line in printed.err.splitlines() if line.startswith("warning: ")]
    assert len(warnings) == 1
    assert str(newest) in warnings[0]
    assert len(json.loads(printed.out)["history"]) == len(short.history)
    assert short.agrees(out)


def test_no_flipped_byte_of_the_directory_matters(short: Reference, out: Path) -> None:
    """The names, sizes and kinds of the arrays stand at the end of the archive, outside of its checksums."""
    stopped(SHORT, out, 25)
    whole = contents(out)
    content = whole["checkpoint.npz"]
    directory = range(content.index(b"PK\x01\x02"), len(content))
    chosen = random.Random(3).sample([(at, 1 << bit) for at in directory for bit in range(8)], 25)
    for at, bits in chosen:
        for name, before in whole.items():
            (out / name).write_bytes(before)
        (out / "checkpoint.npz").write_bytes(flipped(content, at, bits))
        assert resume(out).history == short.history, f"byte {at} ^ {bits}"
        assert short.agrees(out), f"byte {at} ^ {bits}"


def test_both_checkpoints_damaged_starts_anew(short: Reference, out: Path) -> None:
    stopped(SHORT, out, 20)
    for name in ("checkpoint.npz", "checkpoint.previous.npz"):
        (out / name).write_bytes(b"PK")
    watch = Watch()
    result = resume(out, watch)
    assert watch.first == 0
    assert len(watch.warnings) == 2
    assert result.history == short.history
    assert short.agrees(out)


def test_killed_between_the_two_renames(short: Reference, out: Path) -> None:
    stopped(SHORT, out, 20)
    (out / "checkpoint.npz").replace(out / "checkpoint.previous.npz")
    watch = Watch()
    assert resume(out, watch).history == short.history
    assert (watch.first, watch.warnings) == (20, [])
    assert short.agrees(out)


# -- what is refused -------------------------------------------------------------------------------------------


def refusal(argv: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return the one line that the command ends with."""
    status = main(argv)
    printed = capsys.readouterr()
    assert (status, printed.out) == (2, "")
    assert printed.err.count("\n") == 1, printed.err
    assert printed.err.startswith("holdfast: ")
    return printed.err


@pytest.mark.parametrize(
    ("line", "changed"),
    [("rounds = 30", "rounds = 31"), ("seed = 0", "seed = 1"), ("scale = 10000.0", "scale = 9999.0")],
)
@pytest.mark.parametrize("after", [3, 20], ids=["before a checkpoint", "after a checkpoint"])
def test_a_changed_spec_is_refused(
    line: str, changed: str, after: int, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stopped(SHORT, out, after)
    if after < SHORT.checkpoint_every:
        (out / "checkpoint.npz").unlink()  # as if killed, not stopped
    text = (out / "spec.toml").read_text()
    assert line in text
    (out / "spec.toml").write_text(text.replace(line, changed))
    before = contents(out)
    assert "spec" in refusal(["resume", str(out)], capsys)
    assert contents(out) == before


def test_a_changed_data_file_is_refused(tmp_path: Path, out: Path) -> None:
    features = np.random.default_rng(0).normal(size=(60, 3))
    data = tmp_path / "own.npz"
    np.savez(data, x=features, y=features[:, 0] > 0)
    stopped(replace(SHORT, data=str(data), workers=6, byzantine=1), out, 20)
    before = contents(out)
    features[7, 1] += 1e-9
    np.savez(data, x=features, y=features[:, 0] > 0)
    command = [sys.executable, "-m", "holdfast", "resume", str(out)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("holdfast: a run resumes on the data it began with")
    assert ended.stderr.count("\n") == 1
    assert contents(out) == before


def test_a_data_file_that_went_away_is_named(tmp_path: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    features = np.random.default_rng(0).normal(size=(60, 3))
    data = tmp_path / "own.npz"
    np.savez(data, x=features, y=features[:, 0] > 0)
    stopped(replace(SHORT, data=str(data), workers=6, byzantine=1), out, 20)
    data.unlink()
    assert str(data) in refusal(["resume", str(out)], capsys)


def test_what_is_no_run_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")
    for name in ("absent", "empty", "file"):
        assert str(tmp_path / name) in refusal(["resume", str(tmp_path / name)], capsys)
    assert {path.name for path in tmp_path.iterdir()} == {"empty", "file"}
    assert list((tmp_path / "empty").iterdir()) == []


@pytest.mark.parametrize("content", [None, b"", b"{}", b"[]", b"\xff", b'{"data_sha256": 5}'], ids=repr)
def test_damaged_versions_are_refused(content: bytes | None, out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = stopped(SHORT, out, 20) / "versions.json"
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    assert "data" in refusal(["resume", str(out)], capsys)


def test_an_out_that_holds_something_is_refused_and_not_touched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine")
    (tmp_path / "file").write_text("mine too")
    for name in ("full", "file"):
        argv = ["run", "--data", "digits", "--rounds", "2", "--out", str(tmp_path / name)]
        assert str(tmp_path / name) in refusal(argv, capsys)
    assert contents(tmp_path / "full") == {"thesis.txt": b"mine"}
    assert (tmp_path / "file").read_text() == "mine too"


def test_an_earlier_run_is_never_overwritten(out: Path) -> None:
    run(SHORT, out)
    before = contents(out)
    with pytest.raises(InvalidInput, match="--out must name a new or empty folder"):
        run(SHORT, out)
    assert contents(out) == before


def test_an_empty_out_is_used(out: Path, short: Reference) -> None:
    out.mkdir()
    run(SHORT, out)
    assert short.agrees(out)
    assert os.listdir(out)
