"""Three extensions from outside the package: one small file each, and they work wherever ours do."""

import ast
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from extensions import BASE, EXTENSIONS, FILES, FOLDER, ROOT, Extension

import holdfast as hf
from holdfast.cli import main
from holdfast.methods import make_method
from holdfast.naming import options_of
from holdfast.testing import check, kind_of
from strict_json import strict

every_extension = pytest.mark.parametrize("extension", EXTENSIONS.values(), ids=EXTENSIONS)
every_file = pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)


@pytest.fixture(autouse=True)
def from_the_root(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Find `examples` as whoever stands in the repository does."""
    monkeypatch.chdir(ROOT)
    monkeypatch.syspath_prepend(str(ROOT))
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "examples"]:
        del sys.modules[name]


def made(extension: Extension) -> Any:
    """The part as an object, made by its own class."""
    module, _, name = extension.text.partition(":")
    key, _, value = extension.options.partition("=")
    return getattr(import_module(module), name)(**{key: float(value)})


def spec_with(extension: Extension, part: Any) -> hf.Spec:
    return replace(BASE, **extension.beside, **{extension.field: part})


def holdfast(*words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "holdfast", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def holdfast_here(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Return what a command prints that runs in this process, where nothing has to start."""
    status = main(words)
    printed = capsys.readouterr()
    assert status == 0, printed.err
    return printed.out


def test_every_file_is_tried() -> None:
    assert {extension.text.partition(":")[0] for extension in EXTENSIONS.values()} == {
        f"examples.extend.{file.stem}" for file in FILES
    }


@every_file
def test_an_extension_is_one_file_of_at_most_30_lines(file: Path) -> None:
    assert len(file.read_text().splitlines()) <= 30


@every_file
def test_an_extension_uses_public_names_only(file: Path) -> None:
    """`import holdfast as hf`, its namespaces, and what these import under a public name."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert not (node.module or "").startswith("holdfast")
        if isinstance(node, ast.Import):
            assert [name.name for name in node.names if name.name.startswith("holdfast")] in ([], ["holdfast"])
        if isinstance(node, ast.Attribute) and re.fullmatch(r"hf(\.\w+)+", ast.unparse(node)):
            where: Any = hf
            for name in ast.unparse(node).split(".")[1:]:
                inner = where is not hf and inspect.ismodule(getattr(where, name))
                assert not inner, "a module inside of a namespace may move"
                assert not name.startswith("_")
                where = getattr(where, name)


@every_extension
def test_in_a_run_as_an_object_and_as_a_text(extension: Extension) -> None:
    part = made(extension)
    by_object = hf.run(spec_with(extension, part))
    by_text = hf.run(spec_with(extension, f"{extension.text}:{extension.options}"))
    assert by_object.model.tobytes() == by_text.model.tobytes()
    assert by_object.history == by_text.history
    assert by_object.spec == by_text.spec
    assert by_object.accuracy is not None
    plain = hf.run(spec_with(extension, extension.text))
    assert plain.model.tobytes() != by_object.model.tobytes(), "so its option counts"
    assert list(options_of(part, full=False)) == [extension.options.partition("=")[0]]


@every_extension
def test_on_the_command_line(extension: Extension, tmp_path: Path) -> None:
    out = tmp_path / "run"
    ended = holdfast("run", *extension.flags(), "--out", str(out), "--json")
    assert ended.returncode == 0, ended.stderr
    here = hf.run(spec_with(extension, made(extension)))
    assert np.load(out / "model.npy").tobytes() == here.model.tobytes()
    (source,) = strict((out / "versions.json").read_text())["sources"]
    assert source["name"] == extension.text
    assert Path(source["file"]).parent == FOLDER


def test_in_a_comparison_whose_runs_have_processes_of_their_own() -> None:
    specs = [spec_with(extension, made(extension)) for extension in EXTENSIONS.values()]
    composed = make_method(f"nnm+{EXTENSIONS['rule'].text}")
    specs.append(replace(specs[0], method=composed, attack=made(EXTENSIONS["attack"])))
    for there, spec in zip(hf.compare(specs, jobs=2), specs, strict=True):
        assert there.model.tobytes() == hf.run(spec).model.tobytes()


def test_in_a_comparison_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rule, attack, momentum = EXTENSIONS.values()
    words = ["--data", "digits", "--workers", "7", "--rounds", "6", "--byzantine", "2", "--jobs", "2", "--json"]
    methods, attacks = ["--method", "median", rule.text, momentum.text], ["--attack", "none", attack.text]
    printed = holdfast_here(capsys, "compare", *words, *methods, *attacks, "--out", str(tmp_path / "out"))
    assert len(strict(printed)["runs"]) == 6


ON_RAY = """
import sys
from dataclasses import replace
import holdfast as hf

field, part, beside = sys.argv[1], sys.argv[2], eval(sys.argv[3])
spec = hf.Spec(data="digits", workers=7, rounds=12, eval_every=6, batch=8, **beside, **{field: part})
there, here = hf.run(replace(spec, engine="ray:shards=2")), hf.run(spec)
assert there.model.tobytes() == here.model.tobytes()
assert there.history == here.history
print("equal")
"""


@every_extension
def test_on_ray_with_the_bits_of_the_simulation(extension: Extension) -> None:
    pytest.importorskip("ray")
    text = f"{extension.text}:{extension.options}"
    command = [sys.executable, "-c", ON_RAY, extension.field, text, repr(extension.beside)]
    quiet = os.environ | {"PYTHONWARNINGS": "ignore", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=quiet)
    assert ended.stdout.splitlines()[-1:] == ["equal"], ended.stderr


@every_extension
def test_it_keeps_the_laws_of_its_kind(extension: Extension) -> None:
    part = made(extension)
    robust = {"robust": True} if kind_of(part) == "rule" else {}
    assert check(part, examples=25, **robust).holds


@pytest.mark.parametrize("name", ["rule", "attack"])
def test_it_passes_the_check_on_the_command_line(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    extension = EXTENSIONS[name]
    report = strict(holdfast_here(capsys, "check", f"{extension.text}:{extension.options}", "--json"))
    assert (report["kind"], report["holds"]) == (name, True)


def test_the_commands_of_the_readme_are_spelt_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (FOLDER / "README.md").read_text().replace("\\\n", "")
    commands = [line.split() for line in text.splitlines() if line.startswith("    holdfast ")]
    assert [words[1] for words in commands] == ["run", "run", "compare", "check"]
    for number, (_, name, *words) in enumerate(commands):
        short = [] if name == "check" else ["--rounds", "3", "--out", str(tmp_path / str(number))]
        holdfast_here(capsys, name, *words, *short)
