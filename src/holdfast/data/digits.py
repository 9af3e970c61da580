"""The 8x8 digits that scikit-learn carries inside its package: no network needed."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np

from holdfast.data.dataset import Dataset


def digits() -> Dataset:
    """8x8 digits of 16 grey levels, 1438 for training and 359 for testing; embedded, no network."""
    # from the file itself: `sklearn.datasets.load_digits` returns the same after a second of imports
    package = find_spec("sklearn")
    assert package is not None  # a dependency
    assert package.origin is not None
    table = np.loadtxt(
        Path(package.origin).with_name("datasets") / "data" / "digits.csv.gz", delimiter=",", dtype=np.uint8
    )
    return Dataset.split("digits", table[:, :-1].reshape(-1, 8, 8), table[:, -1].astype(np.int64))
