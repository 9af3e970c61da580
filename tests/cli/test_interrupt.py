"""Ctrl-C: a run stops politely and can be resumed; a comparison leaves nobody behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from holdfast.cli import main
from holdfast.cli.run import PoliteStop
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec

SPEC = Spec(
    data="digits", method="rsa", attack="sign-flip", byzantine=4, rounds=3000, eval_every=20, checkpoint_every=10**6
)

pytestmark = pytest.mark.usefixtures("compiled")


def start(*argv: str) -> "subprocess.Popen[str]":
    """Start the command as a shell would: in a group of its own, which Ctrl-C reaches as a whole."""
    command = [sys.executable, "-m", "holdfast", *argv]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def interrupted(process: "subprocess.Popen[str]", number: int = signal.SIGINT) -> tuple[str, str]:
    """Press Ctrl-C and return what was printed.

    The pipes end only when all who hold them have ended, the children too.
    """
    os.killpg(process.pid, number)
    try:
        return process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise AssertionError("somebody outlived Ctrl-C by 30 seconds") from None


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the run that was never interrupted."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    run(SPEC, folder)
    return folder


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_stops_says_how_to_resume_and_resumes_to_the_same_end(
    number: int, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "spec.toml").write_text(SPEC.to_toml())
    out = tmp_path / "stopped"
    process = start("run", str(tmp_path / "spec.toml"), "--out", str(out), "--json")
    assert process.stderr is not None
    assert process.stderr.readline().startswith("rsa on digits")
    assert process.stderr.readline().startswith("auto: ")
    assert process.stderr.readline().startswith("round 20/3000")
    stdout, stderr = interrupted(process, number)
    assert process.returncode == 130
    assert stdout == "", "there is no result yet"
    assert f"resume with: holdfast resume {out}" in stderr
    assert "Traceback" not in stderr
    assert not (out / "result.json").exists()
    assert (out / "checkpoint.npz").exists(), "what was played is not lost"

    assert main(["resume", str(out), "--json"]) == 0
    assert f"run folder: {out}" in capsys.readouterr().err
    for name in ("model.npy", "records.jsonl"):
        assert (out / name).read_bytes() == (whole / name).read_bytes()


COMPARE = ["compare", "--data", "digits", "--rounds", "1500", "--jobs", "1", "--byzantine", "4", "--attack", "gaussian",
           "--method", "sgd", "krum", "median", "geometric-median", "trimmed-mean"]  # fmt: skip


def test_a_comparison_under_way_leaves_nobody_behind(tmp_path: Path) -> None:
    process = start(*COMPARE, "--out", str(tmp_path / "out"))
    assert process.stdout is not None
    while (line := process.stdout.readline()).startswith(("auto: ", "momentum: ")):
        pass
    assert "sgd" in line  # the first run is over, four are to come
    stdout, stderr = interrupted(process)
    assert process.returncode == 130
    assert stderr == ""
    assert stdout.endswith(f"interrupted; resume with the same command and: --out {tmp_path / 'out'} --resume\n")
    kept = sorted((tmp_path / "out" / "runs").iterdir())
    assert any("sgd" in path.name for path in kept)
    assert not (tmp_path / "out" / "results.json").exists()


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks for child processes in /proc")
def test_a_comparison_that_is_starting_leaves_nobody_behind(tmp_path: Path) -> None:
    process = start(*COMPARE, "--out", str(tmp_path / "out"))
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    deadline = time.monotonic() + 30
    while len(children.read_text().split()) < 2 and time.monotonic() < deadline:  # the tracker and the first worker
        time.sleep(0.005)
    time.sleep(0.05)  # it is still importing
    assert_nothing_is_left(process, tmp_path / "out")


def assert_nothing_is_left(process: "subprocess.Popen[str]", out: Path) -> None:
    """Press Ctrl-C before any run has ended: nothing is there to be resumed, and that is what is said."""
    stdout, stderr = interrupted(process)
    assert process.returncode == 130
    assert stderr == ""
    assert stdout.endswith("interrupted; nothing was finished yet\n")
    assert not out.exists()


def test_an_arena_that_finds_step_sizes_leaves_nobody_behind(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    dear = ["--model", "mlp:hidden=1000", "--workers", "100", "--partition", "iid", "by-label"]  # a minute and more
    process = start("arena", *dear, "--method", "rsa", "--jobs", "2", "--out", str(tmp_path / "out"))
    assert process.stdout is not None
    assert "1 methods" in process.stdout.readline()
    assert process.stdout.readline() == "finding step sizes for 2 problems\n"
    time.sleep(2)  # some are at work, or still importing
    assert_nothing_is_left(process, tmp_path / "out")


def test_the_first_signal_asks_and_the_second_insists() -> None:
    before = signal.getsignal(signal.SIGINT)
    with PoliteStop() as stop:
        assert not stop()
        os.kill(os.getpid(), signal.SIGINT)
        assert stop()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_signals_are_as_before_once_a_run_is_over() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with PoliteStop():
        assert signal.getsignal(signal.SIGTERM) is not before[1]
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


LOADING = """
import os, signal, sys
class Pressed:
    def find_spec(self, name, path=None, target=None):
        if name == "holdfast.methods":  # halfway through what a command loads
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Pressed())
from holdfast.__main__ import main
sys.exit(main())
"""


def test_ctrl_c_while_it_loads_is_one_line() -> None:
    command = [sys.executable, "-c", LOADING, "list"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr, done.stdout) == (130, "holdfast: interrupted\n", "")


def test_until_the_command_is_there_nothing_heavy_is_loaded() -> None:
    program = "import sys, holdfast.__main__; assert not {'numpy', 'scipy', 'rich'} & set(sys.modules), sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
