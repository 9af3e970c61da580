"""What is measured with what, on what."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("holdfast", "numpy", "numba", "llvmlite", "torch", "byzfl", "byzpy", "flwr")


def versions() -> dict[str, str]:
    return {"python": platform.python_version()} | {package: _version(package) for package in PACKAGES}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def machine() -> str:
    """Return the processor and how many of its cores there are."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{models[0] if models else platform.machine()}, {os.cpu_count()} cores, {platform.system()}"


def load() -> str:
    """Return how busy the machine is, over 1, 5 and 15 minutes."""
    return ", ".join(f"{average:.2f}" for average in os.getloadavg())


if __name__ == "__main__":
    print(", ".join(f"{name} {number}" for name, number in versions().items()))
