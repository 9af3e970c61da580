"""Features of mean 0 and deviation 1."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from holdfast.data.dataset import Dataset

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

    def to_json(self) -> dict[str, Any]:
        return {"centre": self.centre.tolist(), "width": self.width.tolist(), "target": list(self.target)}

    @staticmethod
    def of_json(values: Mapping[str, Any]) -> "Scaling":
        centre, width = values["target"]
        return Scaling(np.array(values["centre"], float), np.array(values["width"], float), (centre, width))

    def features(self, raw: NDArray[Any], dtype: DTypeLike) -> NDArray[Any]:
        """Return `(raw - centre) / width`, one row per sample, computed in float64."""
        flat = raw.reshape(len(raw), -1)
        scaled = np.empty(flat.shape, dtype)
        for start in range(0, len(flat), BLOCK):
            block = slice(start, start + BLOCK)
            scaled[block] = (flat[block] - self.centre) / self.width
        return scaled

    def dataset(self, data: Dataset, dtype: DTypeLike) -> Dataset:
        """Return all of a data set scaled."""
        centre, width = self.target
        changed: dict[str, Any] = {
            name: self.features(getattr(data, name), dtype) for name in ("train_features", "test_features")
        }
        if self.target != (0.0, 1.0):
            for name in ("train_targets", "test_targets"):
                changed[name] = (getattr(data, name) - centre) / width
        return replace(data, **changed, unit=width)
