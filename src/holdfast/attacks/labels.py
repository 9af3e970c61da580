"""Attacks through the data: workers follow every rule, on samples with other labels."""

from dataclasses import dataclass

import numpy as np

from holdfast.attacks.threats import BatchPoisoning, LabelPoisoning, Labels
from holdfast.streams import Stream
from holdfast.typing import Rows


@dataclass(frozen=True)
class LabelFlip(LabelPoisoning):
    """Learn from flipped labels: class y of C is taken for C - 1 - y, on the worker's own samples.

    The message is what an honest worker with these data would send, momentum and all.

    >>> import numpy as np
    >>> LabelFlip().relabel(np.array([0, 1, 9]), classes=10, worker=3, seed=0)
    array([9, 8, 0])
    """

    cites = ("peng2025mean",)

    def relabel(self, labels: Labels, classes: int, worker: int, seed: int) -> Labels:
        return classes - 1 - labels


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


@dataclass(frozen=True)
class DynamicLabelFlip(BatchPoisoning):
    """Learn from the label that the worker's current model finds least likely, sample by sample.

    Peng et al. (JMLR 2025). The model is the one at which the gradient is taken: the master's, or in RSA the worker's
    own. Of classes that are equally unlikely the first.

    >>> import numpy as np
    >>> DynamicLabelFlip().relabel(np.array([0, 1]), np.array([[2.0, -1.0, 0.5], [0.0, 0.0, 3.0]]))
    array([1, 0])
    """

    cites = ("peng2025mean",)

    def relabel(self, labels: Labels, scores: Rows) -> Labels:
        least: Labels = scores.argmin(axis=-1)
        return least
