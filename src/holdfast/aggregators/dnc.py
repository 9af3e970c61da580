from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast import kernels
from holdfast.aggregators.distances import centred_products
from holdfast.aggregators.families import Drawing, Equivariant
from holdfast.aggregators.requirements import Declared, require_declared, require_positive, require_whole
from holdfast.errors import InvalidInput
from holdfast.streams import Stream
from holdfast.typing import Messages, Rows, Vector

MOST = 10_000
"""The number of coordinates in a draw if not given, as in the source."""


@dataclass(frozen=True)
class DnC(Declared, Drawing, Equivariant):
    """The mean of the rows that do not stand out along the direction of largest variance of randomly drawn coordinates.

    Shejwalkar and Houmansadr (2021), Algorithm 2, divide and conquer. `draws` times: draw `coordinates` of the d
    coordinates, all if there are no more; with X the rows there minus their mean and v its first right singular vector,
    drop the floor(fraction * byzantine) rows with the largest <v, x_i>^2. The result is the mean of the rows that no
    draw dropped; where there is none, of those dropped least often. Of rows as far out, the last are dropped.

    `coordinates=None` is 10,000, at most half of d. The source has models far larger than that; if all
    coordinates are drawn, all draws are the same, and a lie that one direction misses stays: one of eight normal ones
    in every sixth round or so (d = 650), which half of the coordinates never let pass.

    The coordinates are addressed by (seed, draw, round), so that every engine draws the same. A row with NaN or an
    infinity, or so long that its square overflows, is dropped first. It claims no bound: of lies far away in
    different directions only the farthest stands out in a draw, and what differs in coordinates that no draw has is not
    seen.
    `byzantine=None`: the run tells.

    >>> DnC(byzantine=1)(np.array([[0.0], [1.0], [2.0], [99.0]]))
    array([1.])
    """

    cites: ClassVar[tuple[str, ...]] = ("shejwalkar2021manipulating",)
    bounded: ClassVar[bool] = False
    coordinates: int | None = None
    draws: int = 5
    fraction: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole(self, "coordinates", least=1, optional=True)
        require_whole(self, "draws", least=1)
        require_positive(self, "fraction")

    def draw(self, messages: Messages) -> Vector:
        rows = messages.numbers
        n, dropped = len(rows), int(self.fraction * require_declared(self))
        if n <= dropped:
            raise InvalidInput(f"DnC needs n > fraction * byzantine; got n={n}, fraction * byzantine={dropped}")
        infinite, times = np.isinf(kernels.lengths(rows)), np.zeros(n)
        draws = self.draws if rows.shape[1] > self.draw_size(rows.shape[1]) else 1  # all are the same every time
        for draw in range(draws):
            scores = _outlyingness(rows.take(self.choose(messages, draw, rows.shape[1]), axis=1))
            scores[infinite] = np.inf
            times[np.argsort(scores, kind="stable")[n - dropped :]] += 1
            times[np.isinf(scores)] += draws  # beyond the declared number, too
        kept = times == times.min()
        return kernels.combination(kept / kept.sum(), rows)

    def draw_size(self, d: int) -> int:
        """Return how many of d coordinates a draw has."""
        return max(1, min(MOST, d // 2)) if self.coordinates is None else self.coordinates

    def choose(self, messages: Messages, draw: int, d: int) -> NDArray[np.int64]:
        """Return the coordinates of a draw: whole numbers below d, one after the other, that did not come before."""
        stream, wanted = Stream(messages.seed, "dnc"), self.draw_size(d)
        if d <= wanted:
            return np.arange(d)
        count = wanted + wanted**2 // d + 64  # about twice as many come again as there are expected to
        while True:
            drawn = stream.integers(np.array([draw]), messages.round, np.array([d]), count)[0]
            first = np.empty(d, np.int64)
            first[drawn[::-1]] = np.arange(count)[::-1]  # the last that is written stays
            new = drawn[first[drawn] == np.arange(count)]
            if len(new) >= wanted:
                return np.sort(new[:wanted])
            count *= 2


def _outlyingness(rows: Rows) -> Vector:
    """Return <v, x_i - mean>^2 up to a factor, infinite for rows infinitely far away."""
    products, near = centred_products(rows)
    inner = products.mean(axis=0)
    _, vectors = np.linalg.eigh(products - inner - inner[:, np.newaxis] + inner.mean())
    scores = np.full(len(rows), np.inf)
    scores[near] = vectors[:, -1] ** 2
    return scores
