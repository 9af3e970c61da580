"""What is done to the messages of a round before a rule reads them."""

from holdfast.stages.arc import Arc
from holdfast.stages.base import RememberingStage, Stage
from holdfast.stages.bucketing import Bucketing
from holdfast.stages.clipping import Clipping
from holdfast.stages.nearest_neighbour_mixing import NearestNeighbourMixing
from holdfast.stages.watch import Watch

REGISTRY: dict[str, type[Stage]] = {
    "nnm": NearestNeighbourMixing,
    "bucketing": Bucketing,
    "clip": Clipping,
    "arc": Arc,
    "watch": Watch,
}
