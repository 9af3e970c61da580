"""Which problem a target asks for."""

from typing import NamedTuple

import numpy as np

from holdfast.data import Dataset

MOST_CLASSES = 20
"""Different whole numbers that are taken for classes; more of them are quantities, as ages or counts are."""


class Guess(NamedTuple):
    """The name of a problem, and what tells it."""

    name: str
    why: str


def guess(data: Dataset) -> Guess:
    """Return the problem that the targets of some data suggest.

    >>> from holdfast.data import load
    >>> guess(load("digits"))
    Guess(name='softmax', why='the target has 10 classes')
    """
    if data.labels is not None:
        return _classes(len(data.labels))
    values = np.unique(np.concatenate([data.train_targets, data.test_targets]))
    fractions = values[values != np.round(values)]
    if len(fractions):
        return Guess("least-squares", f"the target has fractions, such as {fractions[0]:g}")
    # images come with classes, however many
    if len(values) > MOST_CLASSES and data.train_features.ndim == 2:
        return Guess("least-squares", f"the target has {len(values)} different numbers, more than {MOST_CLASSES}")
    return _classes(len(values))


def _classes(count: int) -> Guess:
    return Guess("logistic" if count == 2 else "softmax", f"the target has {count} classes")
