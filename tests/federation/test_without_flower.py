"""Without Flower everything else works, and what needs it says so in one line."""

import importlib.util
import subprocess
import sys

import pytest


def test_importing_holdfast_never_loads_flower() -> None:
    code = "import sys, holdfast, holdfast.cli, holdfast.federation; sys.exit('flwr' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.skipif(importlib.util.find_spec("flwr") is not None, reason="Flower is installed")
def test_the_error_is_one_line() -> None:
    with pytest.raises(ValueError, match=r"^holdfast.flower needs Flower: pip install 'holdfast\[flower\]'; got no"):
        from holdfast.flower import RobustStrategy  # noqa: F401
