"""docs/architecture.md against the code: every name on the page is defined, every part of a program is on the page."""

import ast
import re
from dataclasses import fields
from pathlib import Path

import pytest

from holdfast.methods import Constant, Program, Ridge, Setting, make_method

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/architecture.md").read_text()
CODE = re.findall(r"`([^`\n]+)`", PAGE)


def defined() -> set[str]:
    """Return every name that the package defines: modules, classes, functions, fields, parameters, registered parts."""
    found: set[str] = set()
    for path in (ROOT / "src/holdfast").rglob("*.py"):
        found |= {path.stem, path.parent.name}
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                found.add(node.name)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                found.add(node.target.id)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 30:
                found.add(node.value)
    return found


def test_every_name_on_the_page_is_in_the_code() -> None:
    known = defined() | {"holdfast", "hf", "src", "package", "module", "Name", "import", "as", "make", "lint", "tests"}
    tools = {"tool", "importlinter", "pyproject", "toml", "py", "flwr", "md", "csv"}
    words = {word for text in CODE for word in re.findall(r"[A-Za-z_](?:[\w-]*\w)?", text)}
    assert len(words) > 80
    assert words - known - tools == set()


def test_every_path_on_the_page_exists() -> None:
    paths = [text for text in CODE if re.fullmatch(r"[\w.]+(/[\w.]*)+", text)]
    assert len(paths) > 10
    assert [path for path in paths if not ((ROOT / path).exists() or (ROOT / "src/holdfast" / path).exists())] == []


def test_a_name_that_is_gone_fails() -> None:
    assert not {"LastingMaster", "Received", "foresee_turned", "as_sent"} & defined()


@pytest.mark.parametrize(
    "part", [each.name for each in fields(Program) if each.name not in ("rate", "prior", "declared")]
)
def test_every_part_of_a_program_is_on_the_page(part: str) -> None:
    assert f"`{part}`" in PAGE


def test_the_compositions_on_the_page_are_those_of_the_code() -> None:
    """Each row of the last table names the classes of its program, and no other part of one."""
    rows = re.findall(r"^\| `([^`]+)` \| (.+) \|$", PAGE[PAGE.index("| method | composition |") :], re.MULTILINE)
    played = [row for row in rows if not row[0].endswith("py")]
    assert len(played) >= 5
    for method, composition in played:
        program = make_method(method).with_penalty(1.0).program(Setting(Constant(1.0), Ridge(0.0)))
        parts = (program.worker, *program.sending, *program.reading, program.rule, *program.serving)
        named = {name for name in re.findall(r"`([^`]+)`", composition) if name[0].isupper()}
        if composition.startswith("as `rsa`"):
            named |= {"PenalisedWorker", "PenaltySum"}
        assert named == {type(part).__name__ for part in parts}, method
        assert ("`damping`" in composition) == bool(program.damping)
