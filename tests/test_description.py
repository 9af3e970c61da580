"""What a package index shows needs no other file."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def hook() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_links_to_files_become_text(hook: ModuleType) -> None:
    assert hook.described("[a](docs/a.md), [docs/b.md](docs/b.md), [c](https://c.org), [d](#d)") == (
        "a (`docs/a.md` in the source distribution), docs/b.md, [c](https://c.org), [d](#d)"
    )
    assert hook.described("[a](docs/a.md#part), [docs/b.md](docs/b.md#part)") == (
        "a (`docs/a.md` in the source distribution), docs/b.md"
    )
    assert hook.described("one\n\n![picture](docs/a.png)\n\n*caption*\n") == "one\n\n*caption*\n"


def test_the_readme_has_nothing_else_that_needs_a_host(hook: ModuleType) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = hook.described(readme)
    assert not re.search(r"\]\((?!https?:|#)", shown)
    assert shown.count("```") == readme.count("```")
    assert shown.splitlines()[0] == "# holdfast"
