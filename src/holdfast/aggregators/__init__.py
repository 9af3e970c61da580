"""Rules that make one vector of `(n, d)` messages, some of which may hold anything."""

from holdfast.aggregators.bulyan import Bulyan
from holdfast.aggregators.caf import Caf
from holdfast.aggregators.centered_clipping import CenteredClipping
from holdfast.aggregators.distances import squared_distances
from holdfast.aggregators.dnc import DnC
from holdfast.aggregators.faba import Faba
from holdfast.aggregators.families import (
    CoordinateWise,
    Drawing,
    Equivariant,
    NormWise,
    Remembering,
    Rule,
    Weighted,
)
from holdfast.aggregators.geometric_median import GeometricMedian
from holdfast.aggregators.krum import Krum, MultiKrum
from holdfast.aggregators.majority_vote import MajorityVote
from holdfast.aggregators.mean import Mean
from holdfast.aggregators.median import Median
from holdfast.aggregators.minimum_diameter import MinimumDiameter
from holdfast.aggregators.nearest_values import MeaMed, Phocas
from holdfast.aggregators.norm_wise import Cge, ClippedMean, NormalisedMean
from holdfast.aggregators.smea import Smea
from holdfast.aggregators.trimmed_mean import TrimmedMean
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
