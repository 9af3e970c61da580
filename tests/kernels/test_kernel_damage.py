"""Damaged or strange files in the cache of compiled code: never run, always compiled again."""

import os
from pathlib import Path
from random import Random
from shutil import copytree

import pytest
from processes import COMPILES, MEAN, MEDIAN, finished, shown

from holdfast.kernels import compile_cache

CLIPPED = """
from holdfast.aggregators import CenteredClipping
clipped = CenteredClipping()(np.random.default_rng(3).normal(size=(7, 9)))
"""
VALUES = [MEAN, MEDIAN, "clipped.tobytes().hex()"]


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A cache, and what a process shows that filled it."""
    cache = tmp_path_factory.mktemp("cache")
    return cache, shown(*VALUES, before=CLIPPED, environment={"HOLDFAST_CACHE": cache})


def damaged(files: list[Path], seed: int) -> None:
    """Flip one bit of each file, anywhere."""
    random = Random(seed)
    for path in files:
        content = bytearray(path.read_bytes())
        content[random.randrange(len(content))] ^= 1 << random.randrange(8)
        path.write_bytes(content)


def test_flipped_bits_in_every_file_change_nothing(used: tuple[Path, list[str]], tmp_path: Path) -> None:
    """One line says so, and the next process finds the cache mended. That every bit counts is shown below."""
    cache = Path(copytree(used[0], tmp_path / "cache"))
    files = sorted(path for path in cache.rglob("*") if path.is_file())
    assert len(files) >= 8
    damaged(files, seed=0)
    ran = finished(*VALUES, COMPILES, before=CLIPPED, environment={"HOLDFAST_CACHE": cache})
    assert ran.stdout.splitlines() == [*used[1], "1"]
    (said,) = ran.stderr.splitlines()
    assert said.startswith("a compiled kernel is damaged and is compiled again: ")
    assert shown(*VALUES, COMPILES, before=CLIPPED, environment={"HOLDFAST_CACHE": cache}) == [*used[1], "0"]


@pytest.mark.parametrize("content", [b"", b"short", bytes(5000)], ids=["empty", "short", "zeros"])
def test_nor_do_files_that_hold_something_else(used: tuple[Path, list[str]], tmp_path: Path, content: bytes) -> None:
    cache = Path(copytree(used[0], tmp_path / "cache"))
    for path in cache.rglob("column_sums.mean.*"):
        path.write_bytes(content)
    ran = finished(MEAN, COMPILES, environment={"HOLDFAST_CACHE": cache})
    assert ran.stdout.splitlines() == [used[1][0], "1"]
    assert "damaged" in ran.stderr


def test_a_folder_in_place_of_a_file_is_no_end(used: tuple[Path, list[str]], tmp_path: Path) -> None:
    cache = Path(copytree(used[0], tmp_path / "cache"))
    for path in cache.rglob("column_sums.mean.*"):
        path.unlink()
        path.mkdir()
    ran = finished(MEAN, COMPILES, environment={"HOLDFAST_CACHE": cache})
    assert ran.stdout.splitlines() == [used[1][0], "1"]


def test_every_flipped_bit_and_every_cut_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "some.nbc"
    compile_cache.write_sealed(path, b"compiled code")
    whole = path.read_bytes()
    assert compile_cache.read_sealed(path) == b"compiled code"
    for k in range(8 * len(whole)):
        content = bytearray(whole)
        content[k // 8] ^= 1 << k % 8
        path.write_bytes(content)
        with pytest.raises(ValueError, match="the checksum of"):
            compile_cache.read_sealed(path)
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match="the checksum of"):
            compile_cache.read_sealed(path)


def test_so_is_a_file_in_the_place_of_another(tmp_path: Path) -> None:
    compile_cache.write_sealed(tmp_path / "some.nbc", b"compiled code")
    (tmp_path / "some.nbc").rename(tmp_path / "other.nbc")
    with pytest.raises(ValueError, match="the checksum of"):
        compile_cache.read_sealed(tmp_path / "other.nbc")


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "some.nbc").mkdir()
    with pytest.raises(OSError, match="some"):
        compile_cache.write_sealed(tmp_path / "some.nbc", b"compiled code")
    assert [path.name for path in tmp_path.iterdir()] == ["some.nbc"]


posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="modes and owners are POSIX's")


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of compiled code as it is made, in a cache that all may read."""
    monkeypatch.setenv("HOLDFAST_CACHE", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir(mode=0o755)
    made: Path = compile_cache.folder.__wrapped__()
    assert made.parent == tmp_path / "cache" / "kernels"
    return made


@posix
def test_the_folder_is_private(kept: Path) -> None:
    assert [path.stat().st_mode & 0o777 for path in (kept, kept.parent)] == [0o700, 0o700]
    assert compile_cache.why_not_private(kept) is None


@posix
@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777, 0o1777])
@pytest.mark.parametrize("above", [0, 1])
def test_not_if_others_can_write_to_it(kept: Path, mode: int, above: int) -> None:
    place = [kept, kept.parent][above]
    place.chmod(mode)
    assert compile_cache.why_not_private(kept) == f"others can write to {place}"


@posix
def test_nor_if_everyone_can_replace_it(kept: Path) -> None:
    """Where all may write but the sticky bit is set, as in /tmp, nobody can."""
    kept.parent.parent.chmod(0o777)
    assert compile_cache.why_not_private(kept) == f"others can write to {kept.parent.parent}"
    kept.parent.parent.chmod(0o1777)
    assert compile_cache.why_not_private(kept) is None


@posix
@pytest.mark.parametrize("above", [0, 1, 2])
def test_nor_if_it_belongs_to_someone_else(kept: Path, above: int, monkeypatch: pytest.MonkeyPatch) -> None:
    place = [kept, *kept.parents][above]
    real = Path.stat

    def stat(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        found = real(path, follow_symlinks=follow_symlinks)
        return os.stat_result([*found[:4], os.geteuid() + 1, *found[5:]]) if path == place else found

    monkeypatch.setattr(Path, "stat", stat)
    assert compile_cache.why_not_private(kept) == f"{place} belongs to another user"


@posix
def test_a_folder_that_is_not_private_is_not_used(tmp_path: Path, kept: Path) -> None:
    """What stands there is not run; a temporary folder is taken, and one line says why."""
    kept.chmod(0o777)
    (tmp_path / "temporary").mkdir()
    environment = {"HOLDFAST_CACHE": tmp_path / "cache", "TMPDIR": tmp_path / "temporary"}
    ran = finished(MEAN, "compile_cache.folder()", environment=environment)
    result, path = ran.stdout.splitlines()
    assert result == "[2.0, 4.0]"
    assert Path(path).is_relative_to(tmp_path / "temporary")
    assert not list(kept.iterdir())
    (said,) = ran.stderr.splitlines()
    assert said.endswith(f"{kept} is not used, others can write to {kept}")
