"""The 8x8 digits that scikit-learn carries inside its package: no network needed."""

from importlib.metadata import distribution

import numpy as np

from holdfast.data.dataset import Dataset


def digits() -> Dataset:
    """8x8 digits of 16 grey levels, 1438 for training and 359 for testing; embedded, no network."""
    # from the file itself: `sklearn.datasets.load_digits` returns the same after a second of imports
    path = distribution("scikit-learn").locate_file("sklearn/datasets/data/digits.csv.gz")
    table = np.loadtxt(str(path), delimiter=",", dtype=np.uint8)
    return Dataset.split("digits", table[:, :-1].reshape(-1, 8, 8), table[:, -1].astype(np.int64))
