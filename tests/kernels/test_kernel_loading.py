"""Where compiled code comes from: a folder named after the sources, found again, never stale."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from shutil import copytree

import pytest

from holdfast.kernels import loading, networks

MEAN = "kernels.mean(np.array([[1.0, 2.0], [3.0, 6.0]])).tolist()"
MEDIAN = "kernels.mean_of_ranks(np.array([[1.0], [7.0], [2.0]]), range(1, 2)).tolist()"
LOADS = "sum(loading.kernels('columns').mean.stats.cache_hits.values())"
COMPILES = "sum(loading.kernels('columns').mean.stats.cache_misses.values())"
ANNOUNCING = "loading.announce = lambda: print('soon')"


def shown(*values: str, before: str = "", environment: Mapping[str, object]) -> list[str]:
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


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache in which a first process has compiled two kernels; it was told once that it would."""
    cache = tmp_path_factory.mktemp("cache")
    told = shown(MEAN, MEDIAN, LOADS, COMPILES, before=ANNOUNCING, environment={"HOLDFAST_CACHE": cache})
    assert told == ["soon", "[2.0, 4.0]", "[2.0]", "0", "1"]
    return cache


def test_another_process_finds_what_was_compiled(used: Path) -> None:
    """And nothing is announced to it."""
    before = compiled(used)
    assert len(before) == 2
    told = shown(MEAN, MEDIAN, LOADS, COMPILES, before=ANNOUNCING, environment={"HOLDFAST_CACHE": used})
    assert told == ["[2.0, 4.0]", "[2.0]", "1", "0"]
    assert compiled(used) == before


def test_changed_sources_are_what_runs(used: Path, tmp_path: Path) -> None:
    """In the cache of the unchanged ones, which stay there for those who have them."""
    before = compiled(used)
    sources = Path(copytree(loading.SOURCES, tmp_path / "sources"))
    text = (sources / "columns.py").read_text()
    assert "total[j] /= total.dtype.type(n)" in text
    (sources / "columns.py").write_text(text.replace("total.dtype.type(n)", "total.dtype.type(2 * n)"))
    change = f"loading.SOURCES = type(loading.SOURCES)({str(sources)!r})"
    assert shown(MEAN, LOADS, before=change, environment={"HOLDFAST_CACHE": used}) == ["[1.0, 2.0]", "0"]
    assert before.items() < compiled(used).items()


TOGETHER = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

together = Barrier(8)

def median(_):
    together.wait()
    return kernels.mean_of_ranks(np.arange(4.0)[:, np.newaxis], range(1, 3)).item()

with ThreadPoolExecutor(8) as pool:
    found = list(pool.map(median, range(8)))
"""


def test_threads_may_ask_for_the_same_network_first(tmp_path: Path) -> None:
    """And none of them believes that the cache cannot be written to."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {"HOLDFAST_CACHE": tmp_path / "cache", "TMPDIR": temporary}
    assert shown("found", before=TOGETHER, environment=environment) == [str([1.5] * 8)]
    assert not list(temporary.iterdir())


def test_where_nothing_can_be_written_kernels_are_compiled_for_one_process(tmp_path: Path) -> None:
    """No folder can be made below a file, whoever asks; a temporary one is taken instead."""
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "temporary").mkdir()
    environment = {"HOLDFAST_CACHE": tmp_path / "file" / "below", "TMPDIR": tmp_path / "temporary"}
    *results, path = shown(MEAN, MEDIAN, "loading.kernels('columns').__file__", environment=environment)
    assert results == ["[2.0, 4.0]", "[2.0]"]
    assert Path(path).is_relative_to(tmp_path / "temporary")
    assert (tmp_path / "file").is_file()


def test_importing_holdfast_does_not_import_numba(tmp_path: Path) -> None:
    """Nor does it write anything."""
    program = "import holdfast, holdfast.kernels, sys; assert not {'numba', 'llvmlite', 'torch'} & set(sys.modules)"
    environment = os.environ | {"HOLDFAST_CACHE": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-W", "error", "-c", program], env=environment, check=True, timeout=120)
    assert not (tmp_path / "cache").exists()


def test_what_another_user_compiled_is_used_though_nothing_can_be_written_there(used: Path, tmp_path: Path) -> None:
    """Copied to a temporary folder, which is removed at the end."""
    (tmp_path / "temporary").mkdir()
    before = compiled(used)
    unwritable = "import os; os.access = lambda path, mode: False"
    environment = {"HOLDFAST_CACHE": used, "TMPDIR": tmp_path / "temporary"}
    path, *results = shown(
        "loading.kernels('columns').__file__", MEAN, LOADS, before=unwritable, environment=environment
    )
    assert results == ["[2.0, 4.0]", "1"]
    assert Path(path).is_relative_to(tmp_path / "temporary")
    assert not list((tmp_path / "temporary").iterdir())
    assert compiled(used) == before
