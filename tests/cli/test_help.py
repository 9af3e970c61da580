"""Every command explains itself and ends in an example that works."""

import re
import shlex
import subprocess
import sys
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from dataclasses import fields
from typing import Literal, get_args, get_origin, get_type_hints

import pytest

import holdfast
from holdfast.cli import main, make_parser
from holdfast.cli.compare import specs_of
from holdfast.cli.spec_flags import format_flag, read_spec
from holdfast.engines.engine_options import REGISTRY
from holdfast.methods import Rsa
from holdfast.runs.spec import Spec
from holdfast.runs.spec_sections import SECTIONS


def commands(parser: ArgumentParser, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], ArgumentParser]]:
    """Yield every command below a parser, and the commands below those."""
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for name, below in action.choices.items():
                yield (*path, name), below
                yield from commands(below, (*path, name))


COMMANDS = dict(commands(make_parser()))


def help_of(path: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as ended:
        main([*path, "--help"])
    assert ended.value.code == 0
    return capsys.readouterr().out


def example(path: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the words of the example that the help ends in."""
    *_, title, last = (line for line in help_of(path, capsys).splitlines() if line.strip())
    assert title == "example:"
    return shlex.split(last)


def test_the_walk_finds_the_commands() -> None:
    expected = {
        ("run",),
        ("resume",),
        ("inspect",),
        ("compare",),
        ("demo",),
        ("theory",),
        ("tune",),
        ("advise",),
        ("list",),
        ("init",),
        ("schema",),
        ("completion",),
        ("cite",),
        ("data",),
        ("data", "list"),
        ("data", "fetch"),
    }
    assert expected <= set(COMMANDS)


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_ends_in_an_example_of_the_command(path: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    words = example(path, capsys)
    assert tuple(words[: len(path) + 1]) == ("holdfast", *path)


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_the_example_is_understood(path: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    arguments = make_parser().parse_args(example(path, capsys)[1:])
    if path in {("run",), ("tune",), ("advise",), ("theory",)}:
        read_spec(arguments)
    if path == ("compare",):
        assert specs_of(arguments)


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_says_what_the_command_does(path: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    description = COMMANDS[path].description
    assert description
    assert description in " ".join(help_of(path, capsys).split())


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_flag_is_explained(path: tuple[str, ...]) -> None:
    for action in COMMANDS[path]._actions:
        assert action.help or isinstance(action, _SubParsersAction), action


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_usage_is_one_line(path: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    first, second, *_ = help_of(path, capsys).splitlines()
    assert first.startswith(f"usage: holdfast {' '.join(path)}")
    assert first.endswith("[FLAG ...]")
    assert second == ""


def sections(text: str) -> dict[str, str]:
    """Return the groups of a help text by their titles."""
    pieces = re.split(r"^(\w[\w ]*):\n", text, flags=re.MULTILINE)[1:]
    return dict(zip(pieces[::2], pieces[1::2], strict=True))


def test_run_has_a_flag_for_every_field_of_a_spec_in_its_section(capsys: pytest.CaptureFixture[str]) -> None:
    groups = sections(help_of(("run",), capsys))
    assert [title for title in groups if title in SECTIONS] == list(SECTIONS)
    types = get_type_hints(Spec)
    for option in fields(Spec):
        text = groups[option.metadata["section"]]
        assert f"{format_flag(option.name)} " in text
        if get_origin(types[option.name]) is Literal:
            assert "{" + ",".join(get_args(types[option.name])) + "}" in text


@pytest.mark.parametrize("path", [("run",), ("resume",)], ids=" ".join)
def test_every_option_of_an_engine_has_a_flag(path: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    text = sections(help_of(path, capsys))["engine"]
    for engine, options in REGISTRY.items():
        for option in fields(options):
            assert re.search(rf"{format_flag(option.name)} \S+\s+[a-z ]*{engine}[a-z ]*: ", text)


def test_options_of_methods_are_no_flags(capsys: pytest.CaptureFixture[str]) -> None:
    text = help_of(("run",), capsys)
    assert not any(f"{format_flag(option.name)} " in text for option in fields(Rsa))


@pytest.mark.parametrize("path", [("compare",), ("tune",), ("theory",)], ids=" ".join)
def test_commands_of_many_runs_have_a_flag_for_all_but_the_engine(
    path: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    text = help_of(path, capsys)
    assert all((f"{format_flag(option.name)} " in text) == (option.name != "engine") for option in fields(Spec))


def test_the_help_of_all_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    text = help_of((), capsys)
    assert all(re.search(rf"^ +{path[0]}\s", text, re.MULTILINE) for path in COMMANDS)


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"holdfast {holdfast.__version__}\n"


def test_help_loads_no_command() -> None:
    """The help needs no library: it answers in a fraction of what NumPy takes to load."""
    script = "import sys; from holdfast.cli import main; main(['--help'])"
    tail = "print([name for name in sys.modules if name.partition('.')[0] in ('numpy', 'rich', 'msgspec')])"
    code = f"import sys\ntry:\n    {script}\nexcept SystemExit:\n    {tail}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_only_the_command_that_is_named_has_its_flags() -> None:
    chosen = dict(commands(make_parser(["cite", "rsa"])))
    assert [path for path, parser in chosen.items() if len(parser._actions) > 1] == [("cite",)]
