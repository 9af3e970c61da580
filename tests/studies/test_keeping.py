"""What is found once for a folder: read again when it fits, found again when it does not."""

from pathlib import Path
from typing import Any

import pytest

from holdfast.studies.paper.theory_numbers import Theorems, find_theorems
from holdfast.studies.store import remember


class Finder:
    """Counts how often it has to look."""

    times = 0

    def __call__(self) -> dict[str, float]:
        self.times += 1
        return {"value": 0.1 + 0.2}


def value(found: Any) -> float:
    return float(found["value"])


def test_it_is_found_once(tmp_path: Path) -> None:
    find, path = Finder(), tmp_path / "found.json"
    assert [remember(path, {"data": "a"}, find, value) for _ in range(3)] == [0.1 + 0.2] * 3
    assert find.times == 1


@pytest.mark.parametrize(
    "content",
    ["", "{", '"text"', "[]", '{"about": {}, "found": {"value": 1}}'],
    ids=["empty", "torn", "a text", "a list", "of something else"],
)
def test_a_file_of_no_use_is_written_anew(tmp_path: Path, content: str) -> None:
    find, path = Finder(), tmp_path / "found.json"
    path.write_text(content)
    assert remember(path, {"data": "a"}, find, value) == remember(path, {"data": "a"}, find, value) == 0.1 + 0.2
    assert find.times == 1


def test_what_reads_otherwise_is_found_again(tmp_path: Path) -> None:
    """The head fits, but what was found is not what is asked for."""
    path = tmp_path / "found.json"
    remember(path, {}, lambda: {"other": 1}, lambda found: found)
    assert remember(path, {}, Finder(), value) == 0.1 + 0.2


def test_other_data_are_looked_at_anew(tmp_path: Path) -> None:
    find, path = Finder(), tmp_path / "found.json"
    for data in "aab":
        remember(path, {"data": data}, find, value)
    assert find.times == 2


def test_theorems_read_back_equal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "theorems.json"
    first = find_theorems(path, quick=True)
    monkeypatch.setattr(Theorems, "measure", None)
    assert find_theorems(path, quick=True) == first
