"""Throw every fault, or those with the given words in their titles, on all cores.

Ends with status 1 and a line for each that did harm.
"""

import io
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path

from threadpoolctl import threadpool_limits

from faults.cases import LONG, Case, Reference, flips, in_one_second, killed, points, two_owners
from faults.children import command
from holdfast import kernels
from holdfast.cli import main as holdfast
from holdfast.runs.records import Result
from holdfast.runs.runner import run as run_spec
from holdfast.studies import pool

KILLS, OWNERS, FLIPS = 40, 6, 24
SEED = 1


def main() -> int:
    begun = time.monotonic()
    threadpool_limits(1)  # children are forked, and threads do not survive that
    kernels.set_threads(1)
    _stay_in_one_process()
    with tempfile.TemporaryDirectory(prefix="holdfast-faults-", dir=_place()) as name:
        folder = Path(name)
        reference = Reference.make(folder)
        with redirect_stdout(io.StringIO()):  # what a page imports takes a second and a half in every child otherwise
            holdfast(["inspect", str(reference.whole), "--out", str(folder / "page.html")])
        long = folder / "long"
        command(["run", str(reference.spec), *LONG, "--out", str(long)])
        cases: list[tuple[str, Case]] = [*points(reference, folder / "counted"), *flips(reference, FLIPS, SEED)]
        cases += [(f"random kill {seed}", partial(killed, reference, long, seed)) for seed in range(KILLS)]
        for verb in ("run", "resume"):
            cases += [(f"two owners {verb} {n}", partial(two_owners, reference, verb)) for n in range(OWNERS)]
        cases += [(f"started at once {n}", partial(in_one_second, reference)) for n in range(OWNERS // 2)]
        cases = [(title, case) for title, case in cases if all(word in title for word in sys.argv[1:])]
        kinds = Counter(title.split(":")[0].split(" in ")[-1].rstrip(" 0123456789") for title, _ in cases)
        print(f"{len(cases)} faults: {dict(kinds)}", flush=True)
        harm = _throw(cases, folder, os.cpu_count() or 1)
    for line in harm:
        print(line)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = f"{time.monotonic() - begun:.0f} s, {used.ru_utime + used.ru_stime:.0f} s of computing"
    print(f"{len(cases)} faults in {seconds}: {len(harm)} did harm")
    return 1 if harm else 0


def _place() -> str | None:
    """Return a folder in memory where there is one: nothing here is meant to survive a loss of power."""
    memory = "/dev/shm"
    return memory if os.access(memory, os.W_OK) else None


def _throw(cases: Sequence[tuple[str, Case]], folder: Path, processes: int) -> list[str]:
    """Try all cases, spread over processes; return what each wrong one says."""
    children = []
    for each in range(processes):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                _try(cases[each::processes], folder / f"of{each}", folder / f"harm{each}")
                status = 0
            finally:
                os._exit(status)  # whatever happens: the child must not go on as its parent, and tidy up for it
        children.append(child)
    signal.signal(signal.SIGTERM, lambda *_: _end(children))
    ended = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    lines = [line for each in range(processes) for line in (folder / f"harm{each}").read_text().splitlines()]
    return lines + [f"a process of ours ended with {status}" for status in ended if status]


def _try(cases: Sequence[tuple[str, Case]], folder: Path, said: Path) -> None:
    """Try cases one after another, each in a folder of its own; write down what each wrong one says."""
    with said.open("w") as file:
        for title, case in cases:
            folder.mkdir()
            try:
                wrong = case(folder)
            except Exception as error:
                wrong = repr(error)
            if wrong:
                print(f"{title}: {' '.join(wrong.split())[-600:]}", file=file, flush=True)
            shutil.rmtree(folder, ignore_errors=True)


def _end(children: Sequence[int]) -> None:
    for child in children:
        os.kill(child, signal.SIGKILL)
    sys.exit(143)


def _stay_in_one_process() -> None:
    """Let `compare` run its specs here and draw nothing: what is looked at is what it does with files."""
    import holdfast.report.comparison_page as page
    from holdfast.report.page import Page
    from holdfast.studies import study as gathering

    def play(specs, jobs, arrived, beside=(), failed=None) -> None:  # type: ignore[no-untyped-def]
        for spec in specs:
            result: Result = run_spec(spec)
            arrived(result)

    gathering.play = pool.play = play
    page.comparison_page = lambda title, results: Page(title, title)
    page.comparison_pictures = lambda results: iter([("curves.svg", b"<svg/>")])


if __name__ == "__main__":
    sys.exit(main())
