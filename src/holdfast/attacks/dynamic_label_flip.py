from dataclasses import dataclass

from holdfast.attacks.base import BatchPoisoning, Labels
from holdfast.typing import Rows


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
