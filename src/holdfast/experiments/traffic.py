"""What a worker sends and receives in a round, in bytes of its frames."""

from typing import NamedTuple

from holdfast.engines.remote.following import SNAPSHOT_EVERY
from holdfast.engines.wire import HEADER_BYTES
from holdfast.experiments.spec import Spec
from holdfast.kernels import bit_width
from holdfast.typing import Vector


class Traffic(NamedTuple):
    """Bytes of one worker in a round that it takes part in, on average over a run."""

    up: int
    down: int


def traffic(spec: Spec, model: Vector, rounds: int, voters: int) -> Traffic:
    """Return the traffic of a run of this many rounds in which so many workers are asked."""
    full = HEADER_BYTES + model.nbytes
    if spec.messages == "full" or not spec.recipe.penalised:
        return Traffic(full, full)
    width = bit_width(len(model))
    snapshots = -(-rounds // SNAPSHOT_EVERY)  # the first is the start, where no tally has been taken yet
    down = snapshots * full + (rounds - 1) * (HEADER_BYTES + voters.bit_length() * width)
    return Traffic(HEADER_BYTES + width, round(down / rounds))
