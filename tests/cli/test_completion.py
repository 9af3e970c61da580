"""`holdfast completion`: what real shells offer is what the parser knows."""

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
_shtab_holdfast
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


TYPED = """
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; autoload -Uz compinit; compinit -u -D; source {script}; print READY'
zpty -r -m shell seen '*READY*READY*'
zpty -w -n shell '{typed}'$'\\t'
zpty -r -m shell seen '*{expected}*'
zpty -d shell
"""


@pytest.mark.skipif(shutil.which("zsh") is None, reason="needs zsh")
@pytest.mark.parametrize(
    ("typed", "expected"),
    [("holdfast insp", "inspect"), ("holdfast run --meth", "--method"), ("holdfast run --dtype float6", "float64")],
)
def test_a_tab_in_zsh_completes_the_word(typed: str, expected: str, tmp_path: Path) -> None:
    """It ends only when zsh has shown what is expected, else it is stopped after half a minute."""
    script = tmp_path / "holdfast"
    script.write_text(command("completion", "zsh").stdout)
    program = TYPED.format(script=script, typed=typed, expected=expected)
    subprocess.run(["zsh", "-f", "-c", program], capture_output=True, check=True, timeout=30)


@pytest.mark.skipif(shutil.which("fish") is None, reason="needs fish")
def test_fish_offers_commands_flags_and_names(tmp_path: Path) -> None:
    script = tmp_path / "holdfast.fish"
    script.write_text(command("completion", "fish").stdout)

    def offers(typed: str) -> set[str]:
        program = f"source {script}; complete -C '{typed}'"
        done = subprocess.run(["fish", "-N", "-c", program], capture_output=True, text=True, check=True, timeout=60)
        return {line.partition("\t")[0] for line in done.stdout.splitlines()}

    assert offers("holdfast comp") == {"compare", "completion"}
    assert offers("holdfast run --meth") == {"--method"}
    assert offers("holdfast run --method kru") == {"krum"}
    assert offers("holdfast run --dtype ") == {"float32", "float64"}
    assert {"list", "fetch"} <= offers("holdfast data ")


def test_other_shells_have_every_command_and_flag() -> None:
    zsh = command("completion", "zsh").stdout
    assert zsh.startswith("eval ")
    for name in (*COMMANDS, "--eval-every", *methods.REGISTRY):
        assert name in zsh
    lines = command("completion", "fish").stdout.splitlines()
    for name in COMMANDS:
        assert any(f"-a {name} -d" in line for line in lines)
    assert any("_using run" in line and "-l eval-every -x" in line for line in lines)


def test_an_unknown_shell_is_refused() -> None:
    refused = command("completion", "bahs")
    assert refused.status == 2
    assert "unknown shell 'bahs' (did you mean 'bash'?); known: bash, zsh, fish" in refused.stderr
