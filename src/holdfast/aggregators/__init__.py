"""Rules that make one vector of `(n, d)` messages, some of which may hold anything."""

from holdfast.aggregators.centered_clipping import CenteredClipping
from holdfast.aggregators.distances import squared_distances
from holdfast.aggregators.families import CoordinateWise, Remembering, Rule, Weighted
from holdfast.aggregators.geometric_median import GeometricMedian
from holdfast.aggregators.krum import Krum
from holdfast.aggregators.mean import Mean
from holdfast.aggregators.median import Median
from holdfast.aggregators.multi_krum import MultiKrum
from holdfast.aggregators.trimmed_mean import TrimmedMean

REGISTRY: dict[str, type[Rule]] = {
    "mean": Mean,
    "geometric-median": GeometricMedian,
    "krum": Krum,
    "multi-krum": MultiKrum,
    "median": Median,
    "trimmed-mean": TrimmedMean,
    "centered-clipping": CenteredClipping,
}

__all__ = [
    "REGISTRY",
    "CenteredClipping",
    "CoordinateWise",
    "GeometricMedian",
    "Krum",
    "Mean",
    "Median",
    "MultiKrum",
    "Remembering",
    "Rule",
    "TrimmedMean",
    "Weighted",
    "squared_distances",
]
