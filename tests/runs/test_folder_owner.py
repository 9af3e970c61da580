"""A run's folder has one owner at a time, who finds out if it is taken away."""

import json
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from holdfast.cli import main
from holdfast.cli.results_folders import claim_folder, results_folder
from holdfast.errors import InvalidInput, StorageError
from holdfast.files import Owner
from holdfast.runs.folder.run_folder import RunFolder
from holdfast.runs.observers import Interrupted, LoggingObserver
from holdfast.runs.runner import resume, run
from holdfast.runs.spec import Spec

SPEC = Spec(data="digits", workers=5, byzantine=1, attack="gaussian", batch=4, rounds=12, eval_every=4)


class At(LoggingObserver):
    """Does something after a round."""

    def __init__(self, round: int, act: object) -> None:
        self.round, self.act, self.done = round, act, False

    def count(self, round: int) -> None:
        if round == self.round:
            self.done = True
            if callable(self.act):
                self.act()

    def __call__(self) -> bool:
        return self.done


def stopped(out: Path) -> Path:
    watch = At(6, None)
    with pytest.raises(Interrupted):
        run(SPEC, out, watch, watch)
    return out


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_second_resume_is_refused_and_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = stopped(tmp_path / "run")
    before = contents(out)
    with RunFolder.own(out):
        assert main(["resume", str(out)]) == 2
    printed = capsys.readouterr()
    assert printed.err == f"holdfast: a folder is used by one process at a time; got {out}, which is in use\n"
    assert contents(out) == before
    assert resume(out).rounds == 12


def test_a_run_holds_its_folder_until_it_is_over(tmp_path: Path) -> None:
    out, refusals = tmp_path / "run", list[str]()

    def meddle() -> None:
        with pytest.raises(InvalidInput) as resumed:
            resume(out)
        with pytest.raises(InvalidInput) as begun:
            run(SPEC, out)
        refusals.extend([str(resumed.value), str(begun.value)])

    run(SPEC, out, At(5, meddle))
    assert "which is in use" in refusals[0]
    assert "which holds something" in refusals[1]
    assert resume(out).rounds == 12


def test_the_lock_of_a_killed_process_is_gone(tmp_path: Path) -> None:
    out = stopped(tmp_path / "run")
    code = "import sys, time, pathlib; from holdfast.files import Owner; o = Owner(pathlib.Path(sys.argv[1])); print(1)"
    argv = [sys.executable, "-c", f"{code}; sys.stdout.flush(); time.sleep(60)", str(out)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"1\n"
        with pytest.raises(InvalidInput, match="which is in use"):
            resume(out)
        process.kill()
        assert process.wait() == -signal.SIGKILL
    assert resume(out).rounds == 12


def test_folders_claimed_at_once_are_different(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    claimed: list[Path] = []
    threads = [threading.Thread(target=lambda: claimed.append(claim_folder("rsa"))) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(claimed)) == 16
    assert all(path.is_dir() for path in claimed)


# -- killed before it began --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    out = tmp_path_factory.mktemp("born") / "run"
    run(SPEC, out)
    return (out / "versions.json").read_bytes()


@pytest.mark.parametrize(
    "left",
    [
        [".lock"],
        [".lock", ".versions.json.1.2.part"],
        [".lock", "versions.json"],
        [".lock", "versions.json", ".spec.toml.1.2.part"],
    ],
    ids=len,
)
def test_what_a_run_leaves_that_never_began_is_begun_again(
    left: list[str], versions: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    out.mkdir()
    for name in left:
        (out / name).write_bytes(versions if name == "versions.json" else b"")
    assert main(["resume", str(out)]) == 2
    expected = f"got {out}, whose run was killed before it began: start it again with --out\n"
    assert capsys.readouterr().err.endswith(expected)
    assert run(SPEC, out).rounds == 12
    assert not list(out.glob(".*.part"))


@pytest.mark.parametrize("content", [b"{}", b"", b'{"sha256": 1}', b'{"mine": true}'], ids=repr)
def test_versions_of_somebody_else_are_left_alone(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "versions.json").write_bytes(content)
    with pytest.raises(InvalidInput, match="which holds something"):
        run(SPEC, tmp_path)
    assert (tmp_path / "versions.json").read_bytes() == content


# -- taken away while it runs ------------------------------------------------------------------------------------


def test_a_folder_that_is_deleted_ends_the_run(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with pytest.raises(
        StorageError, match=r"a run needs its folder until it is over; got .*/run: it was deleted or mov"
    ):
        run(SPEC, out, At(6, lambda: shutil.rmtree(out)))
    assert not out.exists()


def test_a_folder_that_another_run_took_over_is_not_written_to(tmp_path: Path) -> None:
    out = tmp_path / "run"

    def replaced() -> None:
        shutil.rmtree(out)
        run(SPEC, out)

    with pytest.raises(StorageError, match="it was deleted or moved"):
        run(SPEC, out, At(6, replaced))
    assert resume(out).rounds == 12


def test_the_command_ends_with_74_when_its_folder_is_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, record = tmp_path / "run", RunFolder.record

    def deleting(self: RunFolder, evaluation: object) -> None:
        shutil.rmtree(out, ignore_errors=True)
        record(self, evaluation)  # type: ignore[arg-type]

    monkeypatch.setattr(RunFolder, "record", deleting)
    assert main(["run", "--data", "digits", "--rounds", "8", "--out", str(out)]) == 74
    printed = capsys.readouterr()
    assert printed.err == f"holdfast: a run needs its folder until it is over; got {out}: it was deleted or moved\n"


# -- folders of other results ------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["compare", "demo", "advise", "tune"])
def test_other_results_have_one_owner_too(verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = [] if verb == "demo" else ["--data", "digits"]
    with Owner(tmp_path):
        assert main([verb, *data, "--out", str(tmp_path)]) == 2
    assert "which is in use" in capsys.readouterr().err


def test_where_nothing_came_of_it_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for out in (None, Path("deep/er"), Path("deep")):
        with pytest.raises(InvalidInput), results_folder(out, "compare"):
            raise InvalidInput("no")
        assert list(tmp_path.iterdir()) == []
    Path("there").mkdir()
    with results_folder(Path("there"), "compare") as folder:
        (folder / "results.json").write_text(json.dumps({}))
    assert sorted(path.name for path in Path("there").iterdir()) == [".lock", "results.json"]
