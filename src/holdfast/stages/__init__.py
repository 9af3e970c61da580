"""What is done to the messages of a round before a rule reads them."""

from holdfast.stages.clipping import Arc, Bounding, Clipping
from holdfast.stages.mixing import Bucketing, NearestNeighbourMixing
from holdfast.stages.stage import RememberingStage, Stage
from holdfast.stages.watch import Watch

REGISTRY: dict[str, type[Stage]] = {
    "nnm": NearestNeighbourMixing,
    "bucketing": Bucketing,
    "clip": Clipping,
    "arc": Arc,
    "bound": Bounding,
    "watch": Watch,
}
