"""Samples to choose by: held back from the training data before workers get any, and none of the test set."""

import io
from dataclasses import replace
from pathlib import Path

import numpy as np

from holdfast.data import Dataset
from holdfast.errors import InvalidInput
from holdfast.files import write_atomic
from holdfast.streams import Stream

LEAST = 2
"""Samples on either side."""


def hold_out(data: Dataset, share: float, seed: int) -> Dataset:
    """Return the training data alone, with a share of them as the samples to test on instead of the test set.

    >>> import holdfast as hf
    >>> split = hold_out(hf.load("digits"), share=0.1, seed=0)
    >>> len(split.train_targets), len(split.test_targets)
    (1295, 143)
    """
    if not 0 < share < 1:
        raise InvalidInput(f"validation must be a share between 0 and 1; got {share:g}")
    order = Stream(seed, "validation").generator().permutation(len(data.train_targets))
    held, left = np.split(order, [int(share * len(order))])
    if min(len(held), len(left)) < LEAST:
        raise InvalidInput(
            f"validation must leave at least {LEAST} samples on either side; got {len(held)} and {len(left)} samples"
        )
    features, targets = data.train_features, data.train_targets
    return replace(
        data,
        train_features=features[left],
        train_targets=targets[left],
        test_features=features[held],
        test_targets=targets[held],
    )


def write(data: Dataset, path: Path) -> None:
    """Write the data as a file that `--data` reads back, so that runs in other processes can load them."""
    file = io.BytesIO()
    np.savez(
        file,
        x_train=data.train_features,
        y_train=data.train_targets,
        x_test=data.test_features,
        y_test=data.test_targets,
    )
    write_atomic(path, file.getvalue())
