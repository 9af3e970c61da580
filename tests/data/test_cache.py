"""The cache: what is in it is whole and right, or it is not in it."""

import os
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from holdfast.data.download import Unavailable
from holdfast.data.image_sets import TEST_LABELS, TRAIN_IMAGES, TRAIN_LABELS, ImageSet
from holdfast.errors import InvalidInput
from holdfast.files import cache_folder, read_verified, sweep, write_atomic
from tiny_images import CHECKSUMS, FILES


class Shelf:
    """A source that delivers what it was given, or says why not."""

    def __init__(self, files: Mapping[str, bytes] | str, name: str = "the shelf") -> None:
        self.files, self.name, self.asked = files, name, 0

    def __str__(self) -> str:
        return self.name

    def fetch(self, names: Iterable[str]) -> Mapping[str, bytes]:
        self.asked += 1
        if isinstance(self.files, str):
            raise Unavailable(self.files)
        return self.files


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOLDFAST_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def tiny(*sources: Any) -> ImageSet:
    return ImageSet("tiny", CHECKSUMS, sources)


def held(cache: Path) -> dict[str, bytes]:
    return {str(path.relative_to(cache)): path.read_bytes() for path in cache.rglob("*") if path.is_file()}


def everything() -> dict[str, bytes]:
    return {f"tiny/{name}": content for name, content in FILES.items()}


def test_the_folder_is_the_one_of_the_environment(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_folder() == cache
    monkeypatch.delenv("HOLDFAST_CACHE")
    assert cache_folder().name == "holdfast"
    monkeypatch.setenv("HOLDFAST_CACHE", "")
    assert cache_folder().name == "holdfast"


def test_verified_is_the_content_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "file"
    right = sha256(b"content").hexdigest()
    assert read_verified(path, right) is None
    path.write_bytes(b"content")
    assert read_verified(path, right) == b"content"
    path.write_bytes(b"c0ntent")
    assert read_verified(path, right) is None
    path.write_bytes(b"conten")
    assert read_verified(path, right) is None
    assert read_verified(tmp_path, right) is None


def test_load_fetches_once_and_reads_the_arrays(cache: Path) -> None:
    shelf = Shelf(FILES)
    for _ in range(2):
        dataset = tiny(shelf).load()
    assert shelf.asked == 1
    np.testing.assert_array_equal(dataset.train_features, [[[1, 2]], [[3, 4]]])
    np.testing.assert_array_equal(dataset.train_targets, [0, 1])
    np.testing.assert_array_equal(dataset.test_features, [[[5, 6]]])
    np.testing.assert_array_equal(dataset.test_targets, [1])
    assert dataset.train_features.dtype == np.uint8  # images stay bytes
    assert held(cache) == everything()


def test_cached_means_every_file_is_right(cache: Path) -> None:
    images = tiny(Shelf(FILES))
    assert not images.cached()
    images.fetch()
    assert images.cached()
    (cache / "tiny" / TEST_LABELS).unlink()
    assert not images.cached()


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", [b"", b"\x00", None])
def test_a_damaged_file_is_fetched_again(name: str, damage: bytes | None, cache: Path) -> None:
    shelf = Shelf(FILES)
    images = tiny(shelf)
    images.fetch()
    (cache / "tiny" / name).write_bytes(FILES[name][:-1] + b"!" if damage is None else damage)
    assert images.load().train_features.tolist() == [[[1, 2]], [[3, 4]]]
    assert shelf.asked == 2
    assert held(cache) == everything()


def test_wrong_bytes_are_refused_and_the_next_source_is_asked(cache: Path) -> None:
    liar, honest, spare = Shelf(FILES | {TEST_LABELS: FILES[TEST_LABELS] + b"x"}), Shelf(FILES), Shelf(FILES)
    tiny(liar, honest, spare).fetch()
    assert (liar.asked, honest.asked, spare.asked) == (1, 1, 0)
    assert held(cache) == everything()


def test_too_few_files_are_refused_and_the_next_source_is_asked(cache: Path) -> None:
    forgetful, honest = Shelf({name: FILES[name] for name in (TRAIN_IMAGES, TRAIN_LABELS)}), Shelf(FILES)
    tiny(forgetful, honest).fetch()
    assert honest.asked == 1
    assert held(cache) == everything()


def test_when_all_refuse_every_reason_is_told_in_one_line_and_nothing_is_kept(cache: Path) -> None:
    wrong = FILES | {TRAIN_LABELS: b"wrong"}
    with pytest.raises(InvalidInput) as raised:
        tiny(Shelf("npm is not installed", "one"), Shelf(wrong, "two"), Shelf("no answer", "three")).load()
    message = str(raised.value)
    assert message.startswith("tiny could not be fetched")
    assert "one: npm is not installed" in message
    assert f"two: {TRAIN_LABELS} has the wrong checksum" in message
    assert "three: no answer" in message
    assert "--data digits works" in message
    assert "\n" not in message
    assert not cache.exists()


class FullDisk(Exception):
    pass


def full_disk(descriptor: int) -> None:
    raise FullDisk


def test_a_write_that_fails_leaves_the_old_file_and_no_half_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_atomic(path, b"old")
    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(FullDisk):
        write_atomic(path, b"new")
    assert held(tmp_path) == {"file": b"old"}


def test_a_fetch_that_fails_half_way_leaves_no_half_file(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    images = tiny(Shelf(FILES))
    with monkeypatch.context() as patch:
        real, calls = os.fsync, iter(range(9))
        patch.setattr(os, "fsync", lambda file: full_disk(file) if next(calls) == 2 else real(file))
        with pytest.raises(FullDisk):
            images.fetch()
    kept = held(cache)
    assert 0 < len(kept) < 4
    assert kept.items() <= everything().items()
    assert images.load().test_targets.tolist() == [1]
    assert held(cache) == everything()


def test_a_write_makes_its_folders_and_replaces(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "file"
    write_atomic(path, b"first")
    write_atomic(path, b"second")
    assert held(tmp_path) == {"a/b/file": b"second"}


def test_sweep_removes_what_was_half_written_and_nothing_else(tmp_path: Path) -> None:
    for name in (".file.123.part", ".hidden", "file.part", "file"):
        (tmp_path / name).write_bytes(b"")
    sweep(tmp_path)
    assert set(held(tmp_path)) == {".hidden", "file.part", "file"}
