"""Where compiled code comes from: a folder named after the sources, found again, never stale."""

import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from holdfast.kernels import loading, networks

MEAN = "kernels.mean(np.array([[1.0, 2.0], [3.0, 6.0]])).tolist()"
MEDIAN = "kernels.mean_of_ranks(np.array([[1.0], [7.0], [2.0]]), range(1, 2)).tolist()"
LOADS = "sum(loading.kernels('columns').mean.stats.cache_hits.values())"
COMPILES = "sum(loading.kernels('columns').mean.stats.cache_misses.values())"


def shown(*values: str, before: str = "", **environment: Any) -> list[str]:
    """What another process shows for these values, with this environment."""
    lines = ["import numpy as np", "from holdfast import kernels", "from holdfast.kernels import loading", before]
    program = "\n".join([*lines, *(f"print({value})" for value in values)])
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("HOLDFAST_", "NUMBA_"))}
    told = {name: str(value) for name, value in environment.items()}
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env=inherited | told,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


def folder() -> Path:
    """Where kernels would be loaded from by a process that starts now."""
    found: Path = loading._folder.__wrapped__()
    return found


def compiled(cache: Path) -> dict[str, int]:
    """Every compiled file, and when it was written."""
    return {str(path.relative_to(cache)): path.stat().st_mtime_ns for path in cache.rglob("*.nbc")}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOLDFAST_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the sources, to be changed, that is loaded instead of them."""
    copied = Path(copytree(loading.SOURCES, tmp_path / "sources"))
    monkeypatch.setattr(loading, "SOURCES", copied)
    return copied


def test_the_cache_folder_holds_the_sources(cache: Path) -> None:
    assert folder().parent == cache / "kernels"
    copies = {path.name: path.read_bytes() for path in folder().iterdir()}
    assert copies == {path.name: path.read_bytes() for path in loading.SOURCES.glob("*.py")}
    assert "columns.py" in copies


def test_the_same_sources_elsewhere_lead_to_the_same_folder(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = folder()
    monkeypatch.setattr(loading, "SOURCES", Path(copytree(loading.SOURCES, tmp_path / "elsewhere")))
    assert folder() == first


@pytest.mark.parametrize("name", sorted(path.name for path in loading.SOURCES.glob("*.py")))
def test_a_change_of_any_source_leads_to_another_folder(cache: Path, sources: Path, name: str) -> None:
    first, text = folder(), (sources / name).read_text()
    (sources / name).write_text(text + "# changed\n")
    second = folder()
    assert second != first
    assert (second / name).read_text().endswith("# changed\n")
    assert not (first / name).read_text().endswith("# changed\n")
    (sources / name).write_text(text)
    assert folder() == first


def test_so_does_another_source(cache: Path, sources: Path) -> None:
    first = folder()
    (sources / "more.py").write_text("")
    assert folder() != first


def test_so_does_a_change_of_how_networks_are_written(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = folder()
    changed = tmp_path / "networks.py"
    changed.write_text(Path(networks.__file__).read_text() + "# changed\n")
    monkeypatch.setattr(networks, "__file__", str(changed))
    assert folder() != first


@pytest.mark.parametrize("version", ["numba.__version__", "sys.version"])
def test_so_does_another_compiler(cache: Path, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    first = folder()
    monkeypatch.setattr(version, "0.0")
    assert folder() != first


def test_a_folder_that_was_left_half_copied_is_completed(cache: Path) -> None:
    (folder() / "columns.py").unlink()
    assert (folder() / "columns.py").read_bytes() == (loading.SOURCES / "columns.py").read_bytes()


def test_another_process_finds_what_was_compiled(tmp_path: Path) -> None:
    values = MEAN, MEDIAN, LOADS, COMPILES
    assert shown(*values, HOLDFAST_CACHE=tmp_path) == ["[2.0, 4.0]", "[2.0]", "0", "1"]
    before = compiled(tmp_path)
    assert len(before) == 2
    assert shown(*values, HOLDFAST_CACHE=tmp_path) == ["[2.0, 4.0]", "[2.0]", "1", "0"]
    assert compiled(tmp_path) == before


def test_changed_sources_are_what_runs(tmp_path: Path) -> None:
    """In the cache of the unchanged ones, whose results stay theirs."""
    sources = Path(copytree(loading.SOURCES, tmp_path / "sources"))
    text = (sources / "columns.py").read_text()
    assert "total[j] /= total.dtype.type(n)" in text
    (sources / "columns.py").write_text(text.replace("total.dtype.type(n)", "total.dtype.type(2 * n)"))
    change = f"loading.SOURCES = type(loading.SOURCES)({str(sources)!r})"
    cache = tmp_path / "cache"
    assert shown(MEAN, HOLDFAST_CACHE=cache) == ["[2.0, 4.0]"]
    assert shown(MEAN, before=change, HOLDFAST_CACHE=cache) == ["[1.0, 2.0]"]
    assert shown(MEAN, LOADS, HOLDFAST_CACHE=cache) == ["[2.0, 4.0]", "1"]


def test_where_nothing_can_be_written_kernels_are_compiled_for_one_process(tmp_path: Path) -> None:
    """No folder can be made below a file, whoever asks; a temporary one is taken instead."""
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "temporary").mkdir()
    environment = {"HOLDFAST_CACHE": tmp_path / "file" / "below", "TMPDIR": tmp_path / "temporary"}
    values = shown(MEAN, MEDIAN, "loading.kernels('columns').__file__", **environment)
    assert values[:2] == ["[2.0, 4.0]", "[2.0]"]
    assert Path(values[2]).is_relative_to(tmp_path / "temporary")
    assert (tmp_path / "file").is_file()


def test_the_first_compilation_is_announced_once(tmp_path: Path) -> None:
    """On a machine that has compiled nothing; not once something is there."""
    announcing = "loading.announce = lambda: print('soon')"
    assert shown(MEAN, MEDIAN, before=announcing, HOLDFAST_CACHE=tmp_path) == ["soon", "[2.0, 4.0]", "[2.0]"]
    assert shown(MEAN, before=announcing, HOLDFAST_CACHE=tmp_path) == ["[2.0, 4.0]"]


def test_importing_holdfast_does_not_import_numba(tmp_path: Path) -> None:
    """Nor does it write anything."""
    program = "import holdfast, holdfast.kernels, sys; assert not {'numba', 'llvmlite', 'torch'} & set(sys.modules)"
    environment = os.environ | {"HOLDFAST_CACHE": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-W", "error", "-c", program], env=environment, check=True, timeout=120)
    assert not (tmp_path / "cache").exists()
