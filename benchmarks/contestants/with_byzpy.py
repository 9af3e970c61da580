"""ByzPy's rules, which work on a tensor a worker."""

from byzpy.aggregators.coordinate_wise.median import CoordinateWiseMedian
from byzpy.aggregators.coordinate_wise.trimmed_mean import CoordinateWiseTrimmedMean
from byzpy.aggregators.geometric_wise.geometric_median import GeometricMedian
from byzpy.aggregators.geometric_wise.krum import Krum

from benchmarks.contestants.ways import Way

RULES = {
    "median": [
        Way(
            lambda given: CoordinateWiseMedian().aggregate(given.tensors),
            differs="takes the lower of the two middle values",
        )
    ],
    "trimmed mean": [Way(lambda given: CoordinateWiseTrimmedMean(f=given.byzantine).aggregate(given.tensors))],
    "Krum": [
        Way(
            lambda given: Krum(f=given.byzantine).aggregate(given.tensors),
            differs="counts n - f - 1 neighbours, not n - f - 2",
        )
    ],
    "geometric median": [
        Way(
            # its tolerance is absolute: the same as ours on these messages
            lambda given: GeometricMedian(tol=1e-7 * given.typical_distance, max_iter=1000).aggregate(given.tensors)
        )
    ],
}
