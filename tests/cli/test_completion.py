"""`holdfast completion`: what a real bash offers is what the parser knows."""

import shutil
import subprocess
from pathlib import Path

import pytest
from commands import command

from holdfast import methods
from holdfast.cli import COMMANDS

TRY = """
source {script}
COMP_WORDS=({words})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_holdfast
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bash") / "holdfast"
    path.write_text(command("completion", "bash").stdout)
    return path


def offered(script: Path, *words: str) -> set[str]:
    """Return what bash offers behind these words, the last of which is being typed."""
    typed = " ".join(f"'{word}'" for word in ("holdfast", *words))
    program = TRY.format(script=script, words=typed)
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True, timeout=60)
    return set(done.stdout.split())


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_offers_commands_flags_and_names(script: Path) -> None:
    assert set(COMMANDS) <= offered(script, "")
    assert offered(script, "comp") == {"compare", "completion"}
    assert offered(script, "run", "--meth") == {"--method"}
    assert offered(script, "run", "--method", "") == set(methods.REGISTRY)
    assert offered(script, "compare", "--attack", "none", "sign") == {"sign-flip"}
    assert offered(script, "run", "--dtype", "") == {"float32", "float64"}
    assert offered(script, "run", "--dtype", "float32", "--eval-") == {"--eval-every"}
    assert {"list", "fetch"} <= offered(script, "data", "")


def test_other_shells_have_every_command_and_flag() -> None:
    assert command("completion", "bash").stdout in command("completion", "zsh").stdout
    lines = command("completion", "fish").stdout.splitlines()
    for name in COMMANDS:
        assert any(f"-a {name} -d" in line for line in lines)
    assert any("-l eval-every -r" in line and "from run" in line for line in lines)


def test_an_unknown_shell_is_refused() -> None:
    refused = command("completion", "bahs")
    assert refused.status == 2
    assert "unknown shell 'bahs' (did you mean 'bash'?); known: bash, zsh, fish" in refused.stderr
