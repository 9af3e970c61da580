from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput

Parts = list[NDArray[np.int64]]


class Partition(ABC):
    """A frozen dataclass that deals samples to workers; all randomness comes from the generator it is given."""

    cites: ClassVar[tuple[str, ...]] = ()
    """Its sources, as keys of `holdfast.citations`."""

    @abstractmethod
    def deal(self, labels: NDArray[Any], workers: int, generator: np.random.Generator) -> Parts:
        """Return the indices of each worker's samples; every sample goes to exactly one worker, none goes without."""

    def seen(self, features: NDArray[Any], parts: Parts, generator: np.random.Generator) -> NDArray[Any]:
        """Return the training features as the workers see them, after `deal` gave them these parts: as they are."""
        return features


EVEN = 1e15
"""An alpha from which on Dirichlet shares are even but for some 1e-8 of each; the sums of much larger ones overflow."""


def require_enough(labels: NDArray[Any], workers: int) -> None:
    """Say so if there are more workers than samples."""
    if workers > len(labels):
        raise InvalidInput(f"workers must be at most the {len(labels)} training samples; got {workers}")


def sorted_by_label(samples: NDArray[np.int64], labels: NDArray[Any]) -> NDArray[np.int64]:
    """Return samples by label, those of one label in the order given."""
    return samples[np.argsort(labels[samples], kind="stable")]
