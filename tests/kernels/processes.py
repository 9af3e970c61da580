"""Kernels in other processes, with another environment."""

import os
import subprocess
import sys
from collections.abc import Mapping

MEAN = "kernels.mean(np.array([[1.0, 2.0], [3.0, 6.0]])).tolist()"
MEDIAN = "kernels.mean_of_ranks(np.array([[1.0], [7.0], [2.0]]), range(1, 2)).tolist()"
LOADS = "sum(loading.kernels('column_sums').mean.stats.cache_hits.values())"
COMPILES = "sum(loading.kernels('column_sums').mean.stats.cache_misses.values())"


def finished(*values: str, before: str = "", environment: Mapping[str, object]) -> subprocess.CompletedProcess[str]:
    """Another process that has printed these values, with this environment."""
    imports = [
        "import numpy as np",
        "from holdfast import kernels",
        "from holdfast.kernels import compile_cache, loading",
    ]
    program = "\n".join([*imports, before, *(f"print({value})" for value in values)])
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("HOLDFAST_", "NUMBA_"))}
    told = {name: str(value) for name, value in environment.items()}
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env=inherited | told,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr
    return ran


def shown(*values: str, before: str = "", environment: Mapping[str, object]) -> list[str]:
    """What it printed; nothing, it is asserted, as a warning."""
    ran = finished(*values, before=before, environment=environment)
    assert not ran.stderr, ran.stderr
    return ran.stdout.splitlines()
