"""A run between two rounds, as bytes that tell any damage."""

import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np

from holdfast.states import Arrays

SIDES = ("master", "workers", "attack", "average")
"""Whose arrays a checkpoint holds."""


@dataclass(frozen=True)
class Checkpoint:
    """The arrays of all states, and how many records there were. On disk an .npz file followed by its SHA-256."""

    round: int
    master: Arrays
    workers: Arrays
    seconds: float
    """Spent on rounds."""
    evaluation_seconds: float
    attack: Arrays = field(default_factory=dict)
    """What the Byzantine workers remember."""
    average: Arrays = field(default_factory=dict)
    """The average of x0 over all rounds, if that is evaluated."""
    absent: int = 0
    """How often a worker was asked and its answer was late or unusable."""
    faults: Sequence[str] = ()
    """The latest unusable answers and losses, one line each."""
    run: str = ""
    """Whose checkpoint it is: see `RunFolder.identity`."""
    records: int = 0
    """How many evaluations were recorded by then."""
    seal: str = ""
    """Of the last of them: see `holdfast.runs.folder.evaluation_log`."""

    def to_bytes(self) -> bytes:
        about = asdict(self)
        arrays = {f"{side}.{name}": array for side in SIDES for name, array in about.pop(side).items()}
        file = io.BytesIO()
        np.savez(file, about=np.array(json.dumps(about)), **arrays)
        return file.getvalue() + sha256(file.getvalue()).digest()

    @staticmethod
    def of_bytes(content: bytes) -> "Checkpoint":
        """Return the checkpoint, or raise ValueError if these are not exactly the bytes of one."""
        arrays, checksum = content[:-32], content[-32:]
        if sha256(arrays).digest() != checksum:
            raise ValueError("its checksum is wrong")
        with np.load(io.BytesIO(arrays), allow_pickle=False) as file:
            about = json.loads(str(file["about"]))
            sides: dict[str, Any] = {
                side: {key.removeprefix(f"{side}."): file[key] for key in file.files if key.startswith(f"{side}.")}
                for side in SIDES
            }
        try:
            return Checkpoint(**sides, **about)
        except TypeError:
            raise ValueError("it is of another version of holdfast") from None
