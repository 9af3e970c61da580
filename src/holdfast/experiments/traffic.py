"""What a worker sends and receives in a round: the length of such frames."""

from typing import NamedTuple

import numpy as np

from holdfast.engines import wire
from holdfast.engines.remote.following import SNAPSHOT_EVERY
from holdfast.experiments.spec import Spec
from holdfast.kernels import bit_width
from holdfast.onebit import TallyBits
from holdfast.typing import Tally, Vector


class Traffic(NamedTuple):
    """Bytes of one worker in a round that it takes part in, on average over a run."""

    up: int
    down: int


def traffic(spec: Spec, model: Vector, rounds: int, voters: int) -> Traffic:
    """Return the traffic of a run of this many rounds in which so many workers are asked.

    It is what real frames of these messages have; on one machine they are never sent.
    """
    full = len(wire.model(model, 0))
    if not isinstance(spec.method.reading(spec.seed), TallyBits):
        return Traffic(full, full)
    bits = np.zeros((1, bit_width(len(model))), np.uint8)
    tally = Tally(np.zeros(len(model), np.min_scalar_type(voters)), voters)
    up, counts = len(wire.sides(bits, len(model), 0)), len(wire.tally(tally, 0))
    snapshots = -(-rounds // SNAPSHOT_EVERY)  # the first is the start, where no tally has been taken yet
    return Traffic(up, round((snapshots * full + (rounds - 1) * counts) / rounds))
