"""The embedded digits are scikit-learn's."""

import numpy as np
from sklearn.datasets import load_digits

from holdfast.data import load
from holdfast.data.dataset import Dataset


def test_the_file_holds_what_scikit_learn_loads() -> None:
    theirs = load_digits()
    expected = Dataset.split("digits", theirs.images.astype(np.uint8), theirs.target.astype(np.int64))
    assert load("digits").digest() == expected.digest()
