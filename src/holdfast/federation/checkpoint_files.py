"""Both sides of a federation survive their process in files: a node's station, and the master's state."""

from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import numpy as np

from holdfast.engines import wire
from holdfast.engines.remote import Station
from holdfast.engines.wire import Data, WireError
from holdfast.errors import InvalidInput
from holdfast.files import Owner, sweep, write_atomic
from holdfast.methods import Served
from holdfast.runs.plan import drop_ignored
from holdfast.runs.spec import Spec
from holdfast.states import arrays_of, fill_state, map_state

SUFFIX = ".checkpoint"
KEEP = 2
"""Checkpoints of a node: for the next round, and for the last one if the server asks for that again."""
MASTER = "master.checkpoint"
ROUND, IDENTITY = "round", "identity"


class Node:
    """A station that is built per request, restored from a folder, and saved there before it answers.

    A checkpoint has in its name, and in itself, the round that it is ready for. A round resumes from the newest
    checkpoint that is not ahead of it, so a round that is played again has the same answer. Round 0 starts anew.
    """

    def __init__(self, folder: Path, build: Callable[[], Station]) -> None:
        self._folder, self._build = folder, build

    def handle(self, request: Data) -> bytes:
        """Return the answer to a request. A second request at the same time is refused."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with Owner(self._folder):
            sweep(self._folder)
            station, round = self._build(), _read_round(request)
            try:
                self._restore(station, round)
            except InvalidInput as error:
                return wire.pack_error(error)
            answer = station.handle(request)
            if round is not None and not wire.is_error(answer):
                self._write(station.save(), round + 1)
        return answer

    def _restore(self, station: Station, round: int | None) -> None:
        """Restore the newest checkpoint that a round can resume from; without a round, the newest."""
        if round == 0:
            return
        rounds = sorted(self._rounds(), reverse=True)
        for ready in rounds:
            if round is None or ready <= round:
                with suppress(WireError, OSError):  # half a file: the one before is older, but whole
                    station.restore(self._path(ready).read_bytes())
                    return
        if rounds and round is not None:
            raise InvalidInput(f"a node resumes from a checkpoint for round {round} or before; got {rounds[-1]}")

    def _write(self, checkpoint: bytes, ready: int) -> None:
        write_atomic(self._path(ready), checkpoint)
        current = sorted(round for round in self._rounds() if round <= ready)
        for old in set(self._rounds()) - set(current[-KEEP:]):
            self._path(old).unlink()

    def _rounds(self) -> list[int]:
        return [int(path.stem) for path in self._folder.glob(f"*{SUFFIX}") if path.stem.isdecimal()]

    def _path(self, ready: int) -> Path:
        return self._folder / f"{ready:08d}{SUFFIX}"


def _read_round(request: Data) -> int | None:
    """Return the round that a request plays, if it plays one."""
    try:
        packet = wire.unpack(request)
        return int(np.asarray(packet.arrays["round"])) if packet.kind == "play" else None
    except (WireError, KeyError, TypeError, ValueError):
        return None  # the station answers what is wrong


class MasterFile:
    """The master's state after its last round, in a folder, or nowhere. The nodes keep their own states."""

    def __init__(self, folder: Path | None, spec: Spec) -> None:
        self._path = None if folder is None else folder / MASTER
        self._identity = np.frombuffer(sha256(repr(drop_ignored(spec)).encode()).digest(), np.uint8)

    def restore(self, first: Served) -> tuple[int, Served]:
        """Return how many rounds were played, and the state after them; `first` is the state before all rounds."""
        if self._path is None or not self._path.exists():
            return 0, first
        arrays = wire.unpack(self._path.read_bytes()).arrays
        if not np.array_equal(arrays.pop(IDENTITY), self._identity):
            raise InvalidInput(f"a federation resumes with the spec it began with; got another in {self._path.parent}")
        played = int(arrays.pop(ROUND))
        state: Served = map_state(np.array, fill_state(first, arrays))
        return played, state

    def write(self, played: int, state: Served) -> None:
        """Write the state after so many rounds."""
        if self._path is not None:
            about = {ROUND: np.array(played), IDENTITY: self._identity}
            write_atomic(self._path, wire.pack("master", **about, **arrays_of(state)))
