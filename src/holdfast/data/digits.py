"""The 8x8 digits that scikit-learn carries inside its package: no network needed."""

import numpy as np

from holdfast.data.dataset import Dataset


def digits() -> Dataset:
    """8x8 digits of 16 grey levels, 1438 for training and 359 for testing; embedded, no network."""
    from sklearn.datasets import load_digits

    bunch = load_digits()
    return Dataset.split("digits", bunch.data.astype(np.uint8), bunch.target.astype(np.int64))
