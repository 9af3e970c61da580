"""What is done to the messages of a round before a rule reads them."""

from holdfast.stages.arc import Arc
from holdfast.stages.base import Stage
from holdfast.stages.bucketing import Bucketing
from holdfast.stages.clipping import Clipping
from holdfast.stages.nearest_neighbour_mixing import NearestNeighbourMixing

REGISTRY: dict[str, type[Stage]] = {
    "nnm": NearestNeighbourMixing,
    "bucketing": Bucketing,
    "clip": Clipping,
    "arc": Arc,
}

__all__ = ["REGISTRY", "Arc", "Bucketing", "Clipping", "NearestNeighbourMixing", "Stage"]
