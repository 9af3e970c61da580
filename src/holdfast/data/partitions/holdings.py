from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Holdings(NamedTuple):
    """Who holds what."""

    classes: NDArray[Any]
    """The labels that occur, in order."""
    counts: NDArray[np.int64]
    """How many samples of each class each worker holds, `(workers, classes)`."""


def holdings(held: Any, parts: Sequence[NDArray[np.int64]] | None = None) -> Holdings:
    """Return how many samples of each class every worker holds.

    `held` are all labels, dealt into `parts`; or a problem with `shards`, where the parts are known.

    >>> holdings(np.array([7, 3, 7, 7]), [np.array([0, 1]), np.array([2, 3])])
    Holdings(classes=array([3, 7]), counts=array([[1, 1], [0, 2]]))
    """
    if parts is None:
        labels, starts = held.shards.targets, held.shards.starts
        parts = np.split(np.arange(len(labels)), starts[1:-1])
    else:
        labels = np.asarray(held)
    classes, place = np.unique(labels, return_inverse=True)
    counts = [np.bincount(place[part], minlength=len(classes)) for part in parts]
    return Holdings(classes, np.array(counts))
