"""How far the honest workers' models are, measured where they are: no model crosses."""

import numpy as np
from numpy.typing import NDArray

from holdfast.engines import wire
from holdfast.engines.protocol import Spread
from holdfast.engines.remote.answers import due
from holdfast.engines.remote.member import Member
from holdfast.engines.remote.roster import Roster
from holdfast.states import Arrays
from holdfast.typing import Vector, Workers


def spread(roster: Roster, model: Vector, honest: Workers) -> Spread:
    """Return the squared distances of the honest workers' models from their mean and from `model`.

    The sum goes from member to member and grows row by row, so that it is the simulation's bit for bit.
    """

    def read_sum(member: Member, arrays: Arrays) -> NDArray[np.float64]:
        return due(arrays, "sum", np.float64, model.shape)

    def read_squares(member: Member, arrays: Arrays) -> NDArray[np.float64]:
        return due(arrays, "squares", np.float64, (len(np.intersect1d(member.workers, honest)),))

    so_far: dict[str, NDArray[np.float64]] = {}
    for member in roster.members:
        if np.isin(member.workers, honest).any():
            so_far["so_far"] = roster.from_one(member, wire.pack("total", model=model, **so_far), "sum", read_sum)
    parts = [
        roster.from_all(wire.pack("squares", model=model, point=point), "squares", read_squares)
        for point in (so_far["so_far"] / len(honest), model)
    ]
    return Spread(*(np.concatenate(part) for part in parts))
