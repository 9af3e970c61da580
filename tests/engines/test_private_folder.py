"""The folder of a Ray of our own: private, removed at the end, and those of killed runs with it."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.engines.ray.private_ray import PREFIX, STALE, private_folder
from holdfast.files import Owner


@pytest.fixture
def left() -> Iterator[Path]:
    """A folder such as a run that was killed leaves behind."""
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir="/tmp", ignore_cleanup_errors=True) as made:
        (Path(made) / "ray").mkdir()
        yield Path(made)


def grow_old(folder: Path) -> None:
    before = folder.stat().st_mtime - 2 * STALE
    os.utime(folder, (before, before))


def test_only_this_user_can_enter_and_it_is_removed() -> None:
    with private_folder() as inside:
        outside = Path(inside).parent
        assert outside.stat().st_mode & 0o777 == 0o700
        (Path(inside) / "log").touch()
    assert not outside.exists()


def test_what_killed_runs_left_is_removed(left: Path) -> None:
    grow_old(left)
    with private_folder():
        assert not left.exists()


def test_what_is_new_or_in_use_is_left_alone(left: Path) -> None:
    with private_folder():
        assert left.exists()  # whoever made it may not have locked it yet
    with Owner(left):
        grow_old(left)
        with private_folder():
            assert left.exists()


def test_a_link_is_not_followed(left: Path, tmp_path: Path) -> None:
    (tmp_path / "kept").touch()
    link = left.with_name(f"{left.name}-link")
    link.symlink_to(tmp_path)
    try:
        os.utime(link, (0, 0), follow_symlinks=False)
        with private_folder():
            assert link.is_symlink()
            assert (tmp_path / "kept").exists()
    finally:
        link.unlink()
