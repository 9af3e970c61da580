"""Where compiled code comes from: a folder named after the sources, found again, never stale."""

import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree

import pytest
from processes import COMPILES, LOADS, MEAN, MEDIAN, finished, shown

import holdfast
from holdfast.kernels import compile_cache

ANNOUNCING = "import logging, sys; logging.basicConfig(level=20, stream=sys.stdout, format='%(name)s')"


def compiled(cache: Path) -> dict[str, int]:
    """Every compiled file, and when it was written."""
    return {str(path.relative_to(cache)): path.stat().st_mtime_ns for path in cache.rglob("*.nbc")}


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of our code, to be changed, after which the folder is named instead."""
    copied = Path(copytree(compile_cache.HERE, tmp_path / "kernels"))
    monkeypatch.setattr(compile_cache, "HERE", copied)
    return copied


def test_the_same_sources_elsewhere_lead_to_the_same_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = compile_cache.content_name()
    monkeypatch.setattr(compile_cache, "HERE", Path(copytree(compile_cache.HERE, tmp_path / "elsewhere")))
    assert compile_cache.content_name() == first


@pytest.mark.parametrize(
    "name",
    sorted(
        str(path.relative_to(compile_cache.HERE))
        for part in compile_cache.DECIDING
        for path in compile_cache.HERE.glob(part)
    ),
)
def test_a_change_of_any_source_leads_to_another_folder(sources: Path, name: str) -> None:
    first, text = compile_cache.content_name(), (sources / name).read_text()
    (sources / name).write_text(text + "# changed\n")
    assert compile_cache.content_name() != first
    (sources / name).write_text(text)
    assert compile_cache.content_name() == first


def test_so_does_another_source(sources: Path) -> None:
    first = compile_cache.content_name()
    (sources / "sources" / "more.py").write_text("")
    assert compile_cache.content_name() != first


@pytest.mark.parametrize("version", ["numba.__version__", "llvmlite.__version__", "sys.version"])
def test_so_does_another_compiler(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    first = compile_cache.content_name()
    monkeypatch.setattr(version, "0.0")
    assert compile_cache.content_name() != first


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache in which a first process has compiled two kernels; it was told once that it would."""
    cache = tmp_path_factory.mktemp("cache")
    told = shown(MEAN, MEDIAN, LOADS, COMPILES, before=ANNOUNCING, environment={"HOLDFAST_CACHE": cache})
    assert told == ["holdfast.kernels.loading", "[2.0, 4.0]", "[2.0]", "0", "1"]
    return cache


def test_another_process_finds_what_was_compiled(used: Path) -> None:
    """And nothing is announced to it."""
    before = compiled(used)
    assert len(before) == 2
    told = shown(MEAN, MEDIAN, LOADS, COMPILES, before=ANNOUNCING, environment={"HOLDFAST_CACHE": used})
    assert told == ["[2.0, 4.0]", "[2.0]", "1", "0"]
    assert compiled(used) == before


def test_nothing_but_compiled_code_is_kept(used: Path) -> None:
    """No sources and no bytecode, which nobody would check."""
    assert {path.suffix for path in used.rglob("*") if path.is_file()} == {compile_cache.SUFFIX}


def test_changed_sources_are_what_runs(used: Path, tmp_path: Path) -> None:
    """In the cache of the unchanged ones, which stay there for those who have them."""
    before = compiled(used)
    copied = Path(copytree(Path(holdfast.__file__).parent, tmp_path / "src" / "holdfast"))
    path = copied / "kernels" / "sources" / "column_sums.py"
    text = path.read_text()
    assert "total[j] /= total.dtype.type(n)" in text
    path.write_text(text.replace("total.dtype.type(n)", "total.dtype.type(2 * n)"))
    environment = {"HOLDFAST_CACHE": used, "PYTHONPATH": copied.parent}
    assert shown(MEAN, LOADS, environment=environment) == ["[1.0, 2.0]", "0"]
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
    """No folder can be made below a file, whoever asks; a temporary one is taken instead, and removed at the end."""
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "temporary").mkdir()
    environment = {"HOLDFAST_CACHE": tmp_path / "file" / "below", "TMPDIR": tmp_path / "temporary"}
    ran = finished(MEAN, MEDIAN, "compile_cache.folder()", environment=environment)
    *results, path = ran.stdout.splitlines()
    assert results == ["[2.0, 4.0]", "[2.0]"]
    assert Path(path).is_relative_to(tmp_path / "temporary")
    assert not list((tmp_path / "temporary").iterdir())
    (said,) = ran.stderr.splitlines()
    assert said.startswith("compiled kernels are kept for this process only: ")


def test_importing_holdfast_does_not_import_numba(tmp_path: Path) -> None:
    """Nor does it write anything."""
    program = "import holdfast, holdfast.kernels, sys; assert not {'numba', 'llvmlite', 'torch'} & set(sys.modules)"
    environment = os.environ | {"HOLDFAST_CACHE": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-W", "error", "-c", program], env=environment, check=True, timeout=120)
    assert not (tmp_path / "cache").exists()


def test_a_cache_that_cannot_be_written_to_is_read(used: Path) -> None:
    """As one that root has made for all; what it lacks is compiled, and not kept."""
    before = compiled(used)
    full = "def full(*_): raise OSError(28, 'no space')\ncompile_cache.write_sealed = full"
    total = "kernels.sign_sum(np.ones(2), np.zeros((3, 2))).tolist()"
    told = shown(MEAN, LOADS, total, before=full, environment={"HOLDFAST_CACHE": used})
    assert told == ["[2.0, 4.0]", "1", "[3.0, 3.0]"]
    assert compiled(used) == before
