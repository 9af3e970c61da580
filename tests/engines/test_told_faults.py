"""What went wrong with workers is told at the end of a run, and kept: in its result, and over a resumption."""

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from loopback import Fate, Loopback, changed

from holdfast.cli import main
from holdfast.cli.run import SHOWN
from holdfast.engines.engine_options import Ray
from holdfast.engines.remote import Station
from holdfast.runs import ray_stations as sharding
from holdfast.runs.observers import Interrupted
from holdfast.runs.runner import resume, run
from holdfast.runs.spec import Spec

SPEC = Spec(data="digits", workers=7, rounds=20, eval_every=20, checkpoint_every=4, batch=4, engine=Ray(shards=2))
NONSENSE = "workers 5 to 7: a frame must have at least 44 bytes; got 7"


@pytest.fixture
def tampered(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return what makes so many answers of the second shard nonsense, the first after two good ones."""

    def tamper(times: int) -> None:
        def made(stations: list[Callable[[], Station]], address: str) -> Loopback:
            good, bad = count(), changed(1, "play", lambda _: b"garbage", times)

            def answer(member: int, kind: str, answer: bytes) -> bytes | Fate:
                if (member, kind) == (1, "play") and next(good) < 2:
                    return answer
                return bad(member, kind, answer)

            transport = Loopback(stations)
            transport.tamper = answer
            return transport

        monkeypatch.setattr(sharding, "RayTransport", made)

    return tamper


def command(out: Path, *more: str) -> int:
    flags = ["--data", "digits", "--workers", "7", "--rounds", "20", "--batch", "4", "--engine", "ray", "--shards", "2"]
    return main(["run", *flags, "--out", str(out), *more])


def test_the_summary_and_the_result_name_them(
    tampered: Callable[[int], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tampered(SHOWN + 2)
    assert command(tmp_path / "run") == 0
    lines = capsys.readouterr().out.splitlines()
    faults = [f"round {round}: {NONSENSE}" for round in range(3, 3 + SHOWN + 2)]
    assert f"warning: {faults[0]}" in lines  # as it happens
    at = lines.index(f"{3 * (SHOWN + 2)} answers were late or unusable, and left out")
    assert lines[at + 1 : at + 1 + SHOWN] == [f"fault: {fault}" for fault in faults[2:]]
    assert lines[at + 1 + SHOWN] == "2 earlier faults are in result.json"
    result = json.loads((tmp_path / "run" / "result.json").read_text())
    assert (result["absent"], result["faults"]) == (3 * len(faults), faults)


def test_a_run_without_faults_says_nothing_of_them(
    tampered: Callable[[int], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tampered(0)
    assert command(tmp_path / "run", "--json") == 0
    said = capsys.readouterr()
    assert "fault: " not in said.err
    assert json.loads(said.out)["faults"] == []


def test_they_survive_a_resumption(tampered: Callable[[int], None], tmp_path: Path) -> None:
    tampered(1)
    rounds = count()
    with pytest.raises(Interrupted):
        run(SPEC, tmp_path / "run", stopping=lambda: next(rounds) > 9)
    result: Any = resume(tmp_path / "run", engine="simulated")
    assert (result.absent, list(result.faults)) == (3, [f"round 3: {NONSENSE}"])
