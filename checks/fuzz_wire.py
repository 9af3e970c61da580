"""A million frames that are random, mutated or signed right over nonsense: each is read or refused, at once.

    python checks/fuzz_wire.py [FRAMES] [SEED]

Refusing is `WireError`; anything else ends the program. So does a frame whose reading takes more memory than
its bytes allow: 32 for each that came.
"""

import random
import struct
import sys
import tracemalloc
from collections import Counter
from zlib import crc32

import numpy as np

from holdfast.engines import wire
from holdfast.engines.wire import HEADER_BYTES, Kind, WireError
from holdfast.typing import Tally

EDGES = (0, 1, 2, 3, 7, 8, 63, 64, 65, 255, 256, 2**31, 2**32, 2**32 + 1, 2**63, 2**64 - 1)


def whole_frames() -> list[bytes]:
    """Frames of every kind."""
    generator = np.random.default_rng(0)
    bits = generator.integers(0, 256, (3, 8), dtype=np.uint8)
    return [
        wire.model(generator.normal(size=9), 1),
        wire.floats(Kind.GRADIENT, generator.normal(size=(2, 5)).astype(np.float32), 2),
        wire.sides(bits, 64, 3),
        wire.tally(Tally(generator.integers(0, 21, 70, dtype=np.uint8), 20), 4),
    ]


def mutated(frame: bytes, dice: random.Random) -> bytes:
    """Return the frame with some bytes changed, cut, repeated or sworn to anew."""
    data = bytearray(frame)
    for _ in range(dice.randint(1, 4)):
        match dice.randrange(5):
            case 0 if data:
                data[dice.randrange(len(data))] = dice.randrange(256)
            case 1:
                del data[dice.randrange(len(data) + 1) :]
            case 2:
                data += dice.randbytes(dice.randrange(20))
            case 3 if len(data) >= HEADER_BYTES:
                struct.pack_into("<Q", data, dice.choice((8, 16, 24, 32)), dice.choice(EDGES))
            case _ if len(data) >= HEADER_BYTES:
                data[dice.choice((4, 5, 6, 7))] = dice.randrange(6)
    if len(data) >= HEADER_BYTES and dice.random() < 0.7:  # whoever lies can compute a checksum
        struct.pack_into("<Q", data, 32, len(data) - HEADER_BYTES)
        struct.pack_into("<I", data, 40, crc32(data[HEADER_BYTES:], crc32(data[: HEADER_BYTES - 4])))
    return bytes(data)


def outcome(data: bytes) -> str:
    """Read a frame and say how that ended."""
    try:
        frame, _ = wire.read(data)
    except WireError as error:
        return "refused: " + " ".join(word for word in str(error).partition(";")[0].split() if word.isalpha())
    return f"read as {frame.kind.name}"


def main(frames: int = 1_000_000, seed: int = 0) -> None:
    dice, good, seen = random.Random(seed), whole_frames(), Counter[str]()
    watched = frames // 100
    for number in range(frames):
        data = dice.randbytes(dice.randrange(120)) if number % 8 == 0 else mutated(dice.choice(good), dice)
        if number < watched:
            tracemalloc.start()
        seen[outcome(data)] += 1
        if number < watched:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < 32 * len(data) + 100_000, (peak, data)
    for name, times in seen.most_common():
        print(f"{times:>9,}  {name}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
