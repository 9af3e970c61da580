"""On what a result was made: versions, machine, day."""

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from holdfast._version import __version__

LIBRARIES = ("numpy", "numba", "scipy")


def provenance() -> list[str]:
    """Return the day, the versions and the machine, a line each."""
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    python = f"holdfast {__version__}, Python {platform.python_version()}"
    return [
        f"{datetime.now(UTC):%Y-%m-%d}, {python}, {libraries}",
        f"{_processor()}, {os.cpu_count()} cores, {platform.system()}",
    ]


def _processor() -> str:
    """Return the processor's own name where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())
