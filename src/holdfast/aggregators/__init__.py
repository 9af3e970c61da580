"""Rules that make one vector of `(n, d)` messages, some of which may hold anything."""

from holdfast.aggregators.best_subset import MinimumDiameter, Smea
from holdfast.aggregators.centered_clipping import CenteredClipping
from holdfast.aggregators.coordinate_wise import MeaMed, Mean, Median, Phocas, TrimmedMean
from holdfast.aggregators.distances import squared_distances
from holdfast.aggregators.families import (
    CoordinateWise,
    Drawing,
    Equivariant,
    NormWise,
    Remembering,
    Rule,
    Weighted,
)
from holdfast.aggregators.filters import Caf, DnC, Faba
from holdfast.aggregators.geometric_median import GeometricMedian
from holdfast.aggregators.krum import Bulyan, Krum, MultiKrum
from holdfast.aggregators.majority_vote import MajorityVote
from holdfast.aggregators.norm_wise import Cge, ClippedMean, NormalisedMean
from holdfast.aggregators.weighing import Weighing

REGISTRY: dict[str, type[Rule]] = {
    "mean": Mean,
    "geometric-median": GeometricMedian,
    "krum": Krum,
    "multi-krum": MultiKrum,
    "bulyan": Bulyan,
    "minimum-diameter": MinimumDiameter,
    "median": Median,
    "trimmed-mean": TrimmedMean,
    "meamed": MeaMed,
    "phocas": Phocas,
    "centered-clipping": CenteredClipping,
    "clipped-mean": ClippedMean,
    "normalised-mean": NormalisedMean,
    "cge": Cge,
    "faba": Faba,
    "smea": Smea,
    "caf": Caf,
    "dnc": DnC,
    "majority-vote": MajorityVote,
}
