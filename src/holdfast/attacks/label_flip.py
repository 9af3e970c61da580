from dataclasses import dataclass

from holdfast.attacks.base import LabelPoisoning, Labels


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
