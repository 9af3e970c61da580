"""All processes of a trial, by a variable that they inherit: some have sessions of their own, no group has them all."""

import os
import signal
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

HOME = "FLWR_HOME"
GRACE = 4.0
"""Seconds between asking processes to end and ending them."""


def family(home: Path) -> list[int]:
    """Return the processes, other than this one, that run under a FLWR_HOME."""
    wanted, found = f"{HOME}={home}".encode(), []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            with suppress(OSError):  # it has ended, or is somebody else's
                if wanted in (entry / "environ").read_bytes().split(b"\0") and _runs(entry):
                    found.append(int(entry.name))
    return sorted(found)


def sweep_family(home: Path) -> int:
    """End all processes under a FLWR_HOME, and return how many there were."""
    seen: set[int] = set()
    asked = monotonic()
    while members := family(home):
        late = monotonic() - asked > GRACE
        for process in members:
            with suppress(ProcessLookupError):
                if late:
                    os.kill(process, signal.SIGKILL)
                elif process not in seen:
                    os.kill(process, signal.SIGTERM)
        seen |= set(members)
        sleep(0.1)
    return len(seen)


def _runs(entry: Path) -> bool:
    """Return whether a process is more than a zombie, which has ended and waits to be looked at."""
    return (entry / "stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
