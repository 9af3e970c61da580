"""Features of mean 0 and deviation 1."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import DTypeLike, NDArray

from holdfast.data.dataset import Dataset
from holdfast.typing import Features, Json, Targets

BLOCK = 4096
"""Samples scaled at a time."""


@dataclass(frozen=True, eq=False)
class Scaling:
    """Centres and widths of features, and of a target that is a number."""

    centre: NDArray[np.float64]
    """One per feature."""
    width: NDArray[np.float64]
    target: tuple[float, float] = (0.0, 1.0)
    """Centre and width of the target; (0, 1) leaves it alone."""

    def to_json(self) -> Json:
        return {"centre": self.centre.tolist(), "width": self.width.tolist(), "target": list(self.target)}

    @staticmethod
    def of_json(values: Json) -> "Scaling":
        centre, width = values["target"]
        return Scaling(np.array(values["centre"], float), np.array(values["width"], float), (centre, width))

    def features(self, raw: Features, dtype: DTypeLike) -> Features:
        """Return `(raw - centre) / width`, one row per sample, computed in float64."""
        flat = raw.reshape(len(raw), -1)
        scaled = np.empty(flat.shape, dtype)
        for start in range(0, len(flat), BLOCK):
            block = slice(start, start + BLOCK)
            scaled[block] = (flat[block] - self.centre) / self.width
        return scaled

    def dataset(self, data: Dataset, dtype: DTypeLike) -> Dataset:
        """Return all of a data set scaled."""
        return replace(
            data,
            train_features=self.features(data.train_features, dtype),
            train_targets=self._targets(data.train_targets),
            test_features=self.features(data.test_features, dtype),
            test_targets=self._targets(data.test_targets),
            unit=self.target[1],
        )

    def _targets(self, raw: Targets) -> Targets:
        centre, width = self.target
        return raw if self.target == (0.0, 1.0) else (raw - centre) / width
