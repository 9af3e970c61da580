"""CIFAR-10 from PNG files: where every pixel goes, and what is said without Pillow."""

import io
import json
import sys

import numpy as np
import pytest

from holdfast.data import load
from holdfast.data.image_sets import PNG_TEST, PNG_TRAIN, PngSet
from holdfast.errors import InvalidInput


def test_every_row_is_an_image() -> None:
    image = pytest.importorskip("PIL.Image")
    pixels = np.random.default_rng(0).integers(0, 256, (12, 1024, 3), dtype=np.uint8)
    files = {}
    for at, name in enumerate((*PNG_TRAIN[0], *PNG_TEST[0])):
        file = io.BytesIO()
        image.fromarray(pixels[2 * at : 2 * at + 2]).save(file, "PNG")
        files[name] = file.getvalue()
    files |= {PNG_TRAIN[1]: json.dumps([*range(10)]).encode(), PNG_TEST[1]: b"[7, 8]"}
    data = PngSet("tiny", {}, ()).read(files)
    assert data.train_features.shape == (10, 3, 32, 32)
    assert data.train_features[3, 2, 5, 7] == pixels[3, 5 * 32 + 7, 2]
    assert data.test_features[1, 0, 31, 30] == pixels[11, 31 * 32 + 30, 0]
    assert (data.train_targets.tolist(), data.test_targets.tolist()) == ([*range(10)], [7, 8])


def test_without_pillow_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(InvalidInput, match=r"cifar10 needs Pillow: pip install 'holdfast\[images\]'"):
        load("cifar10")
