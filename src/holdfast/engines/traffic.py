"""What a worker would send and receive in a round, in bytes of frames."""

from collections import Counter

from numpy.typing import DTypeLike

from holdfast.engines.protocol import Traffic
from holdfast.engines.remote.following import announced
from holdfast.engines.wire import Kind, message_bytes


def expected(sent: Kind, dimension: int, dtype: DTypeLike, rounds: int, voters: int, follow: bool) -> Traffic:
    """Return the traffic of a worker that is alone in its process, over so many rounds in which nobody is late.

    `sent` is what workers send; those that `follow` are sent tallies of `voters` workers, the others x0.
    """
    frames = Counter(kind for round in range(rounds) for kind in announced(round, follow))
    down = sum(
        n * message_bytes(kind, dimension, dtype, voters if kind is Kind.TALLY else 1) for kind, n in frames.items()
    )
    return Traffic(message_bytes(sent, dimension, dtype), down / max(rounds, 1))
