from dataclasses import dataclass

import numpy as np

from holdfast.attacks.base import LabelPoisoning, Labels
from holdfast.streams import Stream


@dataclass(frozen=True)
class RandomLabels(LabelPoisoning):
    """Learn from labels drawn at random, uniformly from all classes, once for every sample of the worker's own.

    >>> RandomLabels().relabel(np.array([0, 0, 0, 0]), classes=10, worker=3, seed=0)
    array([8, 2, 2, 5])
    """

    def relabel(self, labels: Labels, classes: int, worker: int, seed: int) -> Labels:
        stream = Stream(seed, "random labels")
        (drawn,) = stream.integers(np.array([worker]), 0, np.array([classes]), len(labels))
        return np.asarray(drawn)
