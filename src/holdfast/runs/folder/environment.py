"""What a result may depend on besides its spec: versions, and the machine whose arithmetic it is."""

import os
import platform
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info

from holdfast._version import __version__

ARITHMETIC = ("holdfast", "numpy", "numba", "llvmlite", "blas", "target", "libc", "byteorder", "torch")
"""What the last bits of a number may depend on."""


def versions() -> dict[str, str]:
    """Return versions, processor and libraries of this process, and the time."""
    import llvmlite.binding as llvm  # takes a while, and only runs in folders ask

    return {
        "holdfast": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": version("numba"),
        "llvmlite": version("llvmlite"),
        "blas": _blas(),
        "cpu": _cpu(),
        "target": os.environ.get("NUMBA_CPU_NAME") or llvm.get_host_cpu_name(),
        "libc": " ".join(platform.libc_ver()).strip(),
        "platform": platform.platform(),
        "byteorder": sys.byteorder,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        **({"torch": version("torch")} if "torch" in sys.modules else {}),
    }


def list_differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return in words what arithmetic depends on and is no longer as it was.

    >>> list_differences({"numpy": "2.0", "python": "3.11"}, {"numpy": "2.1", "python": "3.12"})
    ['numpy 2.0 before, 2.1 now']
    """
    pairs = {name: (before.get(name), now.get(name)) for name in ARITHMETIC}
    return [f"{name} {then} before, {here} now" for name, (then, here) in pairs.items() if then != here]


def _blas() -> str:
    """Return the BLAS that NumPy calls, and which processors it chose its code for."""
    found = [each for each in threadpool_info() if each["user_api"] == "blas"]
    first = next((each for each in found if "numpy" in each["filepath"]), found[0] if found else {})
    parts = (first.get(name) for name in ("internal_api", "version", "architecture"))
    return " ".join(str(part) for part in parts if part)


def _cpu() -> str:
    """Return the processor's name as its maker has it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())
