"""What is tried: each case throws one fault, lets the user do what the message says, and looks at what is left.

A case returns what is wrong, in a line, or nothing.
"""

import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from faults.children import Ended, command, contents
from faults.filesystem import Fault
from holdfast.runs.folder.run_folder import RunFolder
from holdfast.runs.folder.sealed import seal, unseal
from holdfast.runs.observers import Interrupted
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec

Case = Callable[[Path], str | None]
"""Is given a folder of its own."""

SPEC = Spec(
    data="digits", workers=5, byzantine=1, attack="gaussian", batch=4, rounds=6, eval_every=2, checkpoint_every=3,
    method="rsa:penalty=0.7", rate=1e-4,
)  # fmt: skip
"""With numbers: no fault is met while they are found, and finding them takes three times such a run."""
ERRORS = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EACCES": errno.EACCES}
REFUSED, FAILED = 2, 74
TIMES = ("seconds", "evaluation_seconds", "run", "sha256")
COMPARE = [
    *("compare", "--data", "digits", "--rounds", "4", "--method", "rsa:penalty=0.7", "sgd", "--rate", "1e-4"),
    *("--workers", "5", "--jobs", "1"),
]


def essence(folder: Path) -> dict[str, Any]:
    """Return what a finished run left, without times."""
    found = contents(folder)
    result = {key: value for key, value in json.loads(found["result.json"]).items() if key not in TIMES}
    return {"model": found["model.npy"], "records": found["records.jsonl"], "result": result}


@dataclass(frozen=True)
class Reference:
    """The run without faults."""

    spec: Path
    whole: Path
    stopped: Path
    """The same run, asked to stop after round 4."""

    @staticmethod
    def make(folder: Path) -> "Reference":
        spec = folder / "spec.toml"
        spec.write_text(SPEC.to_toml())
        whole, stopped = folder / "whole", folder / "stopped"
        run(SPEC, whole)
        count = iter(range(100))
        try:
            run(SPEC, stopped, stopping=lambda: next(count) >= 9)
        except Interrupted:
            return Reference(spec, whole, stopped)
        raise AssertionError("the run was not interrupted")

    def wrong(self, folder: Path) -> str | None:
        """Say how a finished folder differs."""
        expected, found = essence(self.whole), essence(folder)
        differing = [name for name in expected if expected[name] != found[name]]
        left = [name for name in contents(folder) if name.endswith(".part")]
        return f"other {', '.join(differing)}" if differing else f"{left} left behind" if left else None

    def again(self, out: Path) -> str | None:
        """Resume, or start again if the run had not begun; then say how the end differs."""
        ended = command(["resume", str(out)])
        if ended.status == REFUSED and not (out / "spec.toml").exists():
            ended = command(["run", str(self.spec), "--out", str(out)])
        return f"unusable: {ended.status} {ended.stderr}" if ended.status else self.wrong(out)


def under(fault: Fault, argv: list[str]) -> Ended:
    """Run a command that meets a fault."""

    def prepare() -> list[str]:
        fault.install()
        return fault.seen

    return command(argv, prepare)


def met(ended: Ended, kind: str | int) -> str | None:
    """Say what is wrong with how a command took its fault."""
    if isinstance(kind, str):
        return None if ended.status == -signal.SIGKILL else f"not killed: {ended.status} {ended.stderr}"
    if ended.status not in (0, REFUSED, FAILED) or (ended.status and not ended.one_line):
        return f"{ended.status} {ended.stderr}"
    return None


# -- crash points and errors -------------------------------------------------------------------------------------


def faulty_run(reference: Reference, at: int, kind: str | int, folder: Path) -> str | None:
    out = folder / "out"
    ended = under(Fault(at, kind, out), ["run", str(reference.spec), "--out", str(out)])
    if ended.status == 0:
        return reference.wrong(out)
    return met(ended, kind) or reference.again(out)


def faulty_resume(reference: Reference, begun: str, at: int, kind: str | int, folder: Path) -> str | None:
    out = resumable(reference, begun, folder)
    ended = under(Fault(at, kind, out), ["resume", str(out)])
    if ended.status == 0:
        return reference.wrong(out)
    return met(ended, kind) or reference.again(out)


def resumable(reference: Reference, begun: str, folder: Path) -> Path:
    """Return a copy of the stopped run, in one of the states that resuming has more to do in."""
    out = folder / "out"
    shutil.copytree(reference.stopped, out)
    if begun == "damaged":
        (out / "checkpoint.npz").write_bytes(b"PK")
        with (out / "records.jsonl").open("ab") as file:
            file.write(b'{"round": 6, "acc')
        (out / ".checkpoint.npz.1.2.part").write_bytes(b"half")
    if begun == "elsewhere":
        about = unseal((out / "versions.json").read_bytes())
        (out / "versions.json").write_bytes(seal(about | {"numpy": "0"}))
    return out


def faulty_compare(expected: dict[str, Any], at: int, kind: str | int, folder: Path) -> str | None:
    out = folder / "out"
    argv = [*COMPARE, "--out", str(out)]
    ended = under(Fault(at, kind, out), argv)
    if ended.status and (wrong := met(ended, kind)):
        return wrong
    if ended.status:
        again = command([*argv, *(["--resume"] if out.is_dir() else [])])
        if again.status:
            return f"unusable: {again.status} {again.stderr}"
    return None if compared(out) == expected else "other results"


def compared(out: Path) -> dict[str, Any]:
    """Return what a comparison left, without times."""
    found = contents(out)
    results = json.loads(found["results.json"])
    for each in results["runs"]:
        for name in TIMES:
            each.pop(name, None)
    return {"results": results, "files": sorted(name for name in found if not name.endswith(".part"))}


def points(reference: Reference, folder: Path) -> Iterator[tuple[str, Case]]:
    """Yield every call of run, resume and compare with every fault."""
    plans: dict[str, tuple[list[str], Callable[..., str | None]]] = {}
    plans["run"] = ["run", str(reference.spec), "--out", str(folder / "run")], partial(faulty_run, reference)
    for begun in ("stopped", "damaged", "elsewhere"):
        out = resumable(reference, begun, folder / begun)
        plans[f"resume {begun}"] = ["resume", str(out)], partial(faulty_resume, reference, begun)
    argv = [*COMPARE, "--out", str(folder / "compare")]
    command(argv)
    expected = compared(folder / "compare")
    shutil.rmtree(folder / "compare")
    plans["compare"] = argv, partial(faulty_compare, expected)
    for name, (argv, act) in plans.items():
        calls = under(Fault(0, "count", Path(argv[-1])), argv).calls
        for at, call in enumerate(calls, start=1):
            for title, kind in {"kill": "kill", **ERRORS}.items():
                yield f"{name}: {title} at call {at} ({call})", partial(act, at, kind)
            if call == "write":
                yield f"{name}: torn at call {at}", partial(act, at, "tear")


# -- kills at random, two owners, flipped bits -------------------------------------------------------------------

LONG = ["--rounds", "1200", "--eval-every", "30", "--checkpoint-every", "40"]


def killed(reference: Reference, long: Path, seed: int, folder: Path) -> str | None:
    """Kill a run, and then resuming it, at random moments; the end must be that of one go."""
    out, chance = folder / "out", random.Random(seed)
    begin = ["run", str(reference.spec), *LONG, "--out", str(out)]
    for argv in (begin, ["resume", str(out)], ["resume", str(out)]):
        child = os.fork()
        if child == 0:
            status = 99
            try:
                status = command_status(argv)
            finally:
                os._exit(status)  # whatever happens: the child must not go on as its parent, and tidy up for it
        time.sleep(chance.uniform(0, 0.5))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    ended = command(["resume", str(out)])
    if ended.status == REFUSED and not (out / "spec.toml").exists():
        ended = command(begin)
    if ended.status:
        return f"unusable: {ended.status} {ended.stderr}"
    return None if essence(out) == essence(long) else "another end"


def command_status(argv: list[str]) -> int:
    from holdfast.cli import main

    with open(os.devnull, "w") as nowhere:
        sys.stdout = sys.stderr = nowhere
        return main(argv)


def two_owners(reference: Reference, verb: str, folder: Path) -> str | None:
    """Two processes at once: one has the folder, the other ends with one line, or comes after it."""
    out = folder / "out"
    if verb == "resume":
        shutil.copytree(reference.stopped, out)
    argv = ["resume", str(out)] if verb == "resume" else ["run", str(reference.spec), "--out", str(out)]
    processes = [holdfast(argv) for _ in range(2)]
    said = [process.communicate()[1] for process in processes]
    statuses = sorted(process.returncode for process in processes)
    if statuses not in ([0, REFUSED], [0, 0] if verb == "resume" else []):
        return f"{statuses} {said}"
    for process, text in zip(processes, said, strict=True):
        if process.returncode and not (text.startswith("holdfast: ") and text.count("\n") == 1):
            return text
    return reference.wrong(out)


def in_one_second(reference: Reference, folder: Path) -> str | None:
    """Runs that are started at once have a folder each."""
    processes = [holdfast(["run", str(reference.spec), "--seed", str(seed)], folder) for seed in range(4)]
    for process in processes:
        process.communicate()
    runs = sorted((folder / "runs").iterdir())
    seeds = sorted(RunFolder(path).manifest.spec.seed for path in runs)
    if any(process.returncode for process in processes) or seeds != [0, 1, 2, 3]:
        return f"{[process.returncode for process in processes]}, seeds {seeds}"
    return next((reference.wrong(path) for path in runs if RunFolder(path).manifest.spec.seed == 0), None)


def holdfast(argv: list[str], folder: Path | None = None) -> "subprocess.Popen[str]":
    words = [sys.executable, "-m", "holdfast", *argv]
    return subprocess.Popen(words, cwd=folder, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def flipped(reference: Reference, source: Path, name: str, at: int, bit: int, folder: Path) -> str | None:
    """A flipped bit: resuming ends as it would have, or refuses and leaves all as it is; so does inspecting."""
    out = folder / "out"
    shutil.copytree(source, out)
    content = bytearray((out / name).read_bytes())
    content[at] ^= 1 << bit
    (out / name).write_bytes(content)
    before = contents(out)
    seen = command(["inspect", str(out), "--out", str(folder / "page.html")])
    if seen.status not in (0, REFUSED) or (seen.status and not seen.one_line):
        return f"inspect: {seen.status} {seen.stderr}"
    if seen.status == 0 and name != "model.npy" and not harmless(source, out):
        return "inspect took it"
    ended = command(["resume", str(out)])
    if ended.status == 0:
        return reference.wrong(out)
    if ended.status != REFUSED or not ended.one_line:
        return f"{ended.status} {ended.stderr}"
    return None if contents(out) == before else "refused, but changed something"


def harmless(source: Path, out: Path) -> bool:
    """Return whether all that is read of a folder is as it was."""
    return _read(source) == _read(out)


def _read(folder: Path) -> tuple[Any, ...]:
    store = RunFolder(folder)
    return store.manifest.spec, store.history(), store.artifacts.result


def flips(reference: Reference, each: int, seed: int) -> Iterator[tuple[str, Case]]:
    """Yield flipped bits in every file of a finished and of a stopped run."""
    chance = random.Random(seed)
    for source in (reference.whole, reference.stopped):
        for name, content in sorted(contents(source).items()):
            for _ in range(min(each, 8 * len(content))):
                at, bit = chance.randrange(len(content)), chance.randrange(8)
                title = f"bit {bit} of byte {at} in {source.name}/{name}"
                yield title, partial(flipped, reference, source, name, at, bit)
