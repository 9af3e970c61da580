"""Data of the user's own: what is read, and what is refused in one line."""

import gc
import re
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from numpy.typing import NDArray

from holdfast import data
from holdfast.data import Dataset
from holdfast.errors import InvalidInput

X, Y = np.arange(20.0).reshape(10, 2), np.arange(10) % 3


def npz(folder: Path, **arrays: Any) -> Path:
    np.savez(folder / "data.npz", **arrays)
    return folder / "data.npz"


def refusal(path: Path) -> str:
    """Return what is said of a file that cannot be read: one line that names it."""
    with pytest.raises(InvalidInput) as refused:
        data.load(str(path))
    message = str(refused.value)
    assert str(path) in message
    assert "must" in message
    assert "\n" not in message
    return message


def samples(dataset: Dataset) -> list[tuple[float, ...]]:
    """All samples of both halves, features before target, sorted."""
    features = np.concatenate([dataset.train_features, dataset.test_features])
    targets = np.concatenate([dataset.train_targets, dataset.test_targets])
    return sorted((*row, target) for row, target in zip(features.tolist(), targets.tolist(), strict=True))


def test_npz_with_test_samples_is_taken_as_it_is(tmp_path: Path) -> None:
    path = npz(tmp_path, x_train=X, y_train=Y, x_test=X[:3] + 0.5, y_test=Y[:3])
    dataset = data.load(str(path))
    assert dataset.name == str(path)
    for found, expected in (
        (dataset.train_features, X),
        (dataset.train_targets, Y),
        (dataset.test_features, X[:3] + 0.5),
        (dataset.test_targets, Y[:3]),
    ):
        np.testing.assert_array_equal(found, expected)


def test_npz_without_test_samples_is_split(tmp_path: Path) -> None:
    dataset = data.load(str(npz(tmp_path, x=X, y=Y)))
    assert (len(dataset.train_targets), len(dataset.test_targets)) == (8, 2)
    assert samples(dataset) == sorted((*row, target) for row, target in zip(X.tolist(), Y.tolist(), strict=True))


def test_a_split_is_the_same_every_time(tmp_path: Path) -> None:
    first, again = (data.load(str(npz(tmp_path, x=X, y=Y))) for _ in range(2))
    assert first.digest() == again.digest()
    assert first.digest() != data.load(str(npz(tmp_path, x=X + 1, y=Y))).digest()


@pytest.mark.parametrize("count", [2, 3, 4])
def test_even_a_tiny_file_leaves_something_to_test_on(tmp_path: Path, count: int) -> None:
    dataset = data.load(str(npz(tmp_path, x=X[:count], y=Y[:count])))
    assert len(dataset.train_targets) >= 1
    assert len(dataset.test_targets) >= 1


def test_images_keep_their_shape_and_stay_bytes(tmp_path: Path) -> None:
    images = np.arange(10 * 3 * 4, dtype=np.uint8).reshape(10, 3, 4)
    dataset = data.load(str(npz(tmp_path, x_train=images, y_train=Y, x_test=images, y_test=Y)))
    assert (dataset.train_features.dtype.name, dataset.train_features.shape) == ("uint8", (10, 3, 4))
    assert dataset.train_features[1].ravel().tolist() == list(range(12, 24))


@pytest.mark.parametrize(
    ("given", "kept"),
    [("uint8", "uint8"), ("bool", "uint8"), ("float32", "float32"), ("float64", "float64"), ("int16", "float64"),
     ("uint32", "float64"), ("float16", "float64")],
)  # fmt: skip
def test_types_of_features(tmp_path: Path, given: str, kept: str) -> None:
    dataset = data.load(str(npz(tmp_path, x=(X > 9).astype(given), y=Y)))
    assert dataset.train_features.dtype == dataset.test_features.dtype == kept
    assert np.unique(dataset.train_features).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("arrays", "reason"),
    [
        ({}, "got nothing"),
        ({"a": X, "b": Y}, "got a, b"),
        ({"x_train": X, "y_train": Y, "x_test": X}, "got x_train, y_train, x_test"),
        ({"x": X, "y": Y[:4]}, r"one target for each row of features; got shapes \(10, 2\) and \(4,\)"),
        ({"x": X[:, 0], "y": Y}, r"got shapes \(10,\) and \(10,\)"),
        ({"x": X, "y": X}, r"got shapes \(10, 2\) and \(10, 2\)"),
        ({"x": X, "y": np.float64(1)}, r"got shapes \(10, 2\) and \(\)"),
        ({"x": np.float64(1), "y": Y}, r"got shapes \(\) and \(10,\)"),
        ({"x": X[:1], "y": Y[:1]}, "at least 2 samples; got 1"),
        ({"x": X[:0], "y": Y[:0]}, "at least 2 samples; got 0"),
        ({"x": np.where(X == 6, np.nan, X), "y": Y}, "finite numbers; got NaN or infinity in features, sample 4"),
        ({"x": X, "y": np.where(Y == 2, np.inf, Y)}, "NaN or infinity in targets, sample 3"),
        ({"x": X.astype(str), "y": Y}, "must hold numbers; got features of type <U"),
        ({"x": X, "y": Y.astype("S")}, "must hold numbers; got targets of type"),
        ({"x": X.astype(complex), "y": Y}, "features of type complex"),
        ({"x": X.astype(object), "y": Y}, "plain arrays"),
        ({"x_train": X, "y_train": Y, "x_test": X[:, :1], "y_test": Y}, r"one shape .* got \(1,\) and \(2,\)"),
    ],
    ids=["no keys", "other keys", "a key is missing", "too few targets", "features in a line", "targets in a table",
         "one target", "one feature", "one sample", "no samples", "NaN", "infinity", "texts", "bytes",
         "complex", "objects", "other width"],
)  # fmt: skip
def test_npz_files_that_cannot_be_used(tmp_path: Path, arrays: dict[str, NDArray[Any]], reason: str) -> None:
    message = refusal(npz(tmp_path, **arrays))
    assert re.search(reason, message), message


def an_npy_file(path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, X)


def half_a_file(path: Path) -> None:
    np.savez(path, x=X, y=Y)
    path.write_bytes(path.read_bytes()[:300])


def flipped_bytes(path: Path) -> None:
    np.savez(path, x=X, y=Y)
    content = bytearray(path.read_bytes())
    content[200:210] = b"\xff" * 10
    path.write_bytes(content)


@pytest.mark.parametrize(
    "write",
    [lambda path: path.write_text("x, y"), Path.touch, an_npy_file, half_a_file, flipped_bytes],
    ids=["a text", "nothing", "an .npy file", "half a file", "flipped bytes"],
)
def test_what_only_looks_like_npz(tmp_path: Path, write: Any) -> None:
    write(tmp_path / "data.npz")
    assert ".npz file of plain arrays" in refusal(tmp_path / "data.npz")
    gc.collect()  # a file left open warns here, and not in some later test


@pytest.mark.parametrize("name", ["absent.csv", "absent.npz", "folder.csv"])
def test_what_is_no_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.csv").mkdir()
    assert "which is no file" in refusal(tmp_path / name)


def test_a_name_that_nobody_knows() -> None:
    with pytest.raises(
        InvalidInput, match=r"unknown data set 'digit' \(did you mean 'digits'\?\); known: digits, mnist"
    ):
        data.load("digit")


def with_member(path: Path, name: str, content: bytes, **arrays: NDArray[Any]) -> Path:
    np.savez(path, **arrays)  # type: ignore[arg-type]
    with ZipFile(path, "a") as archive:
        archive.writestr(name, content)
    return path


def test_an_npz_member_that_is_no_array(tmp_path: Path) -> None:
    """NumPy returns the bytes of such a one."""
    path = with_member(tmp_path / "data.npz", "y.npy", b"nothing of the kind", x=X)
    assert "an .npz file of plain arrays; got y, which is no array" in refusal(path)


def claiming(shape: tuple[int, ...], length: int) -> bytes:
    """Return the .npy file of a float64 array that says it has this shape and has that many bytes."""
    file = BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return file.getvalue() + bytes(length)


def test_nothing_is_read_that_is_not_asked_for(tmp_path: Path) -> None:
    path = with_member(tmp_path / "data.npz", "extra.npy", claiming((10**12,), 8), x=X, y=Y)
    assert len(samples(data.load(str(path)))) == len(X)


@pytest.mark.parametrize("shape", [(10**12, 2), (11, 2), (9, 2)])
def test_an_array_that_is_not_as_long_as_it_says(tmp_path: Path, shape: tuple[int, ...]) -> None:
    path = with_member(tmp_path / "data.npz", "x.npy", claiming(shape, 160), y=Y)
    assert "got x, which is not as long as it says" in refusal(path)


@pytest.mark.parametrize(("most", "fits"), [("240", True), ("239", False)])
def test_what_is_read_is_bounded(tmp_path: Path, most: str, fits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_MAX_BYTES", most)
    path = npz(tmp_path, x=X.astype(np.float64), y=Y.astype(np.float64), unasked=np.zeros(1000))
    if fits:  # 10 * 2 * 8 + 10 * 8 bytes
        assert len(samples(data.load(str(path)))) == 10
    else:
        assert "must hold at most 239 bytes of data (HOLDFAST_MAX_BYTES); got 240" in refusal(path)


def test_a_bound_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_MAX_BYTES", "4 GB")
    with pytest.raises(InvalidInput, match="HOLDFAST_MAX_BYTES must be a whole number of bytes; got '4 GB'"):
        data.load(str(npz(tmp_path, x=X, y=Y)))


@pytest.mark.parametrize("suffix", [".npz", ".csv"])
def test_a_path_that_is_too_long(suffix: str) -> None:
    assert "File name too long" in refusal(Path("x" * 5000 + suffix))
