"""ByzPy's rules, which work on a tensor a worker."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from byzpy.aggregators.coordinate_wise.median import CoordinateWiseMedian
from byzpy.aggregators.coordinate_wise.trimmed_mean import CoordinateWiseTrimmedMean
from byzpy.aggregators.geometric_wise.geometric_median import GeometricMedian
from byzpy.aggregators.geometric_wise.krum import Krum

from benchmarks.contestants.ways import Way
from benchmarks.inputs import Inputs

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

MEMBERS = {
    "median": ("aggregators.coordinate_wise.median.CoordinateWiseMedian", {}),
    "trimmed-mean": ("aggregators.coordinate_wise.trimmed_mean.CoordinateWiseTrimmedMean", {"f": None}),
    "meamed": ("aggregators.coordinate_wise.mean_of_medians.MeanOfMedians", {"f": None}),
    "geometric-median": ("aggregators.geometric_wise.geometric_median.GeometricMedian", {}),
    "krum": ("aggregators.geometric_wise.krum.Krum", {"f": None}),
    "multi-krum": ("aggregators.geometric_wise.krum.MultiKrum", {"f": None, "q": 12}),
    "minimum-diameter": (
        "aggregators.geometric_wise.minimum_diameter_average.MinimumDiameterAveraging",
        {"f": None},
    ),
    "smea": ("aggregators.geometric_wise.smea.SMEA", {"f": None}),
    "cge": ("aggregators.norm_wise.comparative_gradient_elimination.ComparativeGradientElimination", {"f": None}),
    "caf": ("aggregators.norm_wise.caf.CAF", {"f": None}),
    "centered-clipping": (
        "aggregators.norm_wise.center_clipping.CenteredClipping",
        {"c_tau": 100.0, "M": 1, "init": "zero"},
    ),
    "nnm": ("pre_aggregators.nnm.NearestNeighborMixing", {"f": None}),
    "bucketing": ("pre_aggregators.bucketing.Bucketing", {"bucket_size": 2}),
    "clip": ("pre_aggregators.clipping.Clipping", {"threshold": 100.0}),
    "arc": ("pre_aggregators.arc.ARC", {"f": None}),
}
"""What it has of our registry, with its options; `f` is told."""


def member(name: str, f: int, given: Inputs) -> list[Callable[[], Any]]:
    """Return the ways to call its member of this name."""
    if name not in MEMBERS:
        return []
    path, options = MEMBERS[name]
    module, _, kind = path.rpartition(".")
    told = {key: f if key == "f" else value for key, value in options.items()}
    made = getattr(import_module(f"byzpy.{module}"), kind)(**told)
    call = getattr(made, "aggregate", None) or made.pre_aggregate
    return [lambda: call(given.tensors)]
