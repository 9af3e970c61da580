"""Workers' states and models, read from all members and written to them between rounds."""

import numpy as np
from numpy.typing import NDArray

from holdfast.engines import wire
from holdfast.engines.engine import Spread
from holdfast.engines.remote.member import Member
from holdfast.engines.remote.roster import Roster
from holdfast.errors import InvalidInput
from holdfast.states import Arrays, arrays_of, fill_state
from holdfast.typing import State, Vector, Workers


class States:
    """The states behind a roster; `one` is the state of a single worker, for names, types and shapes."""

    def __init__(self, roster: Roster, one: State) -> None:
        self._roster, self._one = roster, one

    def keep(self) -> list[Arrays]:
        """Read and keep every member's state, so that earlier rounds need not be played again."""
        states = self._roster.ask_all(wire.pack("state"), "state", self._read)
        for member, state in zip(self._roster.members, states, strict=True):
            member.keep(state)
        self._roster.log.clear()
        return states

    def _read(self, member: Member, arrays: Arrays) -> Arrays:
        one = arrays_of(self._one)
        return {
            name: wire.take_array(arrays, name, a.dtype, (member.computing, *a.shape[1:])) for name, a in one.items()
        }

    def gather(self) -> State:
        """Return the states of all workers that compute, one row per worker."""
        parts = self.keep()
        return fill_state(
            self._one, {name: np.concatenate([part[name] for part in parts]) for name in arrays_of(self._one)}
        )

    def load(self, state: State) -> None:
        """Have all members resume from these states, one row per worker that computes."""
        computing = sum(member.computing for member in self._roster.members)
        arrays, first = arrays_of(state), 0
        for name, array in arrays.items():
            if len(array) != computing:
                raise InvalidInput(f"a state must have {computing} rows, one per worker; got {len(array)} of {name}")
        for member in self._roster.members:
            last = first + member.computing
            part = {name: array[first:last] for name, array in arrays.items()}
            self._roster.ask_one(member, wire.pack("load", **part), "done", lambda member, arrays: None)
            member.keep(part)
            member.behind, first = True, last
        self._roster.log.clear()


def measure_spread(roster: Roster, model: Vector, honest: Workers) -> Spread:
    """Return the squared distances of the honest workers' models from their mean and from `model`.

    Members measure them; no model crosses. The sum goes from member to member and grows row by row, so that it is the
    simulation's bit for bit.
    """

    def read_sum(member: Member, arrays: Arrays) -> NDArray[np.float64]:
        return wire.take_array(arrays, "sum", np.float64, model.shape)

    def read_squares(member: Member, arrays: Arrays) -> NDArray[np.float64]:
        return wire.take_array(arrays, "squares", np.float64, (len(np.intersect1d(member.workers, honest)),))

    so_far: dict[str, NDArray[np.float64]] = {}
    for member in roster.members:
        if np.isin(member.workers, honest).any():
            so_far["so_far"] = roster.ask_one(member, wire.pack("total", model=model, **so_far), "sum", read_sum)
    parts = [
        roster.ask_all(wire.pack("squares", model=model, point=point), "squares", read_squares)
        for point in (so_far["so_far"] / len(honest), model)
    ]
    return Spread(*(np.concatenate(part) for part in parts))
