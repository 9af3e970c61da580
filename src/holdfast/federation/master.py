"""What a server keeps of a federation, so that it can go on after it was killed."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from holdfast.engines import wire
from holdfast.errors import InvalidInput
from holdfast.files import write_atomic
from holdfast.runs.plan import drop_ignored
from holdfast.runs.spec import Spec
from holdfast.states import arrays_of, fill_state, map_state

NAME = "master.checkpoint"
ROUND, IDENTITY = "round", "identity"


class MasterFile:
    """The master's state after its last round, in a folder, or nowhere. The nodes keep their own."""

    def __init__(self, folder: Path | None, spec: Spec) -> None:
        self._path = None if folder is None else folder / NAME
        self._identity = np.frombuffer(sha256(repr(drop_ignored(spec)).encode()).digest(), np.uint8)

    def restored(self, first: Any) -> tuple[int, Any]:
        """Return how many rounds were played, and the state after them; `first` is the one before all."""
        if self._path is None or not self._path.exists():
            return 0, first
        arrays = wire.unpack(self._path.read_bytes()).arrays
        if not np.array_equal(arrays.pop(IDENTITY), self._identity):
            raise InvalidInput(f"a federation goes on with the spec it began with; got another in {self._path.parent}")
        played = int(arrays.pop(ROUND))
        return played, map_state(np.array, fill_state(first, arrays))

    def save(self, played: int, state: Any) -> None:
        """Write the state after so many rounds."""
        if self._path is not None:
            about = {ROUND: np.array(played), IDENTITY: self._identity}
            write_atomic(self._path, wire.pack("master", **about, **arrays_of(state)))
