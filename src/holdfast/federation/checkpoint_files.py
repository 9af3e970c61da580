"""Both sides of a federation survive their process in files: a node's station, and the master's state."""

from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from holdfast.engines import wire
from holdfast.engines.remote import Station
from holdfast.engines.wire import Data, WireError
from holdfast.errors import InvalidInput
from holdfast.files import Owner, sweep, write_atomic
from holdfast.runs.plan import canonical
from holdfast.runs.spec import Spec
from holdfast.states import arrays_of, fill_state, map_state

SUFFIX = ".checkpoint"
KEPT = 2
"""Checkpoints that are kept: of the last round, and of the one before for a server that asks for the last again."""


class Node:
    """A station that is built for every request, restored from a folder, and saved there before it answers.

    A checkpoint says in its name and in itself which round it is ready for. A round goes on from the newest one that
    is not ahead of it; so whatever was lost on the way, a round played again has the same answer. Round 0 begins anew.
    """

    def __init__(self, folder: Path, build: Callable[[], Station]) -> None:
        self._folder, self._build = folder, build

    def handle(self, request: Data) -> bytes:
        """Return the answer to a request. Two at once are refused: a node has one message under way."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with Owner(self._folder):
            sweep(self._folder)
            station, round = self._build(), _round(request)
            try:
                self._restore(station, round)
            except InvalidInput as error:
                return wire.pack("invalid", text=str(error).encode())
            answer = station.handle(request)
            if round is not None and not _is_error(answer):
                self._save(station.saved(), round + 1)
        return answer

    def _restore(self, station: Station, round: int | None) -> None:
        """Bring a station to the newest checkpoint that a round can go on from; without a round, to the newest."""
        found = sorted(self._found(), reverse=True)
        if round == 0:
            return
        for ready in found:
            if round is None or ready <= round:
                with suppress(WireError, OSError):  # half a file: the one before is older, but whole
                    station.restore(self._path(ready).read_bytes())
                    return
        if found and round is not None:
            raise InvalidInput(f"a node goes on from a checkpoint for round {round} or before; got {found[-1]}")

    def _save(self, saved: bytes, ready: int) -> None:
        write_atomic(self._path(ready), saved)
        before = sorted(found for found in self._found() if found <= ready)
        for other in set(self._found()) - set(before[-KEPT:]):
            self._path(other).unlink()

    def _found(self) -> list[int]:
        return [int(path.stem) for path in self._folder.glob(f"*{SUFFIX}") if path.stem.isdecimal()]

    def _path(self, ready: int) -> Path:
        return self._folder / f"{ready:08d}{SUFFIX}"


def _round(request: Data) -> int | None:
    """Return the round that a request plays, if it plays one."""
    try:
        packet = wire.unpack(request)
        return int(np.asarray(packet.arrays["round"])) if packet.kind == "play" else None
    except (WireError, KeyError, TypeError, ValueError):
        return None  # the station says what is wrong with it


def _is_error(answer: bytes) -> bool:
    return wire.is_packet(answer) and wire.unpack(answer).kind in ("invalid", "failed")


NAME = "master.checkpoint"
ROUND, IDENTITY = "round", "identity"


class MasterFile:
    """The master's state after its last round, in a folder, or nowhere. The nodes keep their own."""

    def __init__(self, folder: Path | None, spec: Spec) -> None:
        self._path = None if folder is None else folder / NAME
        self._identity = np.frombuffer(sha256(repr(canonical(spec)).encode()).digest(), np.uint8)

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
