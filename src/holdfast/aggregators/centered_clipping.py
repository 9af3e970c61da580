from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from holdfast import kernels
from holdfast.aggregators.families import Remembering
from holdfast.aggregators.requirements import require_positive, require_whole
from holdfast.typing import Messages, Rows, Vector


class Centre(NamedTuple):
    """What centred clipping remembers: its result of the last round, zeros before the first."""

    vector: Vector


@dataclass(frozen=True)
class CenteredClipping(Remembering[Centre]):
    """The last result v, moved by the mean of the rows' differences to it, each at most `radius` long.

    Karimireddy, He and Jaggi (2021), "Learning from history", eq. (CC); `steps` times

        v <- v + 1/n sum_i (x_i - v) min(1, radius / |x_i - v|).

    A row with NaN or an infinity, or so far that its square overflows, adds nothing and counts in n. Each
    step moves v by at most `radius`; q rows moved anywhere move the result by at most 2 q radius steps / n,
    and what they moved it by stays in memory. The defaults are ByzFL's; `radius` is on the scale of the messages,
    so it has to be set anew for every problem.

    >>> rule = CenteredClipping(radius=2.0)
    >>> rule(np.array([[1.0], [3.0], [-50.0], [np.nan]]))  # (1 + 2 - 2 + 0) / 4
    array([0.25])
    """

    cites: ClassVar[tuple[str, ...]] = ("karimireddy2021learning",)
    radius: float = 100.0
    steps: int = 1

    def __post_init__(self) -> None:
        require_positive(self, "radius")
        require_whole(self, "steps", least=1)

    def init(self, model: Vector) -> Centre:
        return Centre(np.zeros_like(model))

    def step(self, state: Centre, messages: Messages) -> tuple[Vector, Centre]:
        rows = messages.numbers
        centre = state.vector.astype(rows.dtype, copy=False)
        shares = self.shares(rows, centre)
        with np.errstate(over="ignore"):  # an infinite centre stays infinite
            vector = (1 - float(shares.sum())) * centre + kernels.combination(shares, rows)
        return vector, Centre(vector)

    def shares(self, rows: Rows, centre: Vector) -> Vector:
        """Return c such that the result is v = centre + sum_i c_i (x_i - centre).

        With G the inner products of all x_i - centre, |x_i - v|^2 = c'Gc - 2 (Gc)_i + G_ii: the rows are
        read once, however many steps. v stays within `radius * steps` of the centre, so that the distances
        that matter, from `radius` on, lose no more digits than the square of `steps` has.
        """
        products = kernels.inner_products(rows, centre)
        near = np.isfinite(products.diagonal())
        G = products[np.ix_(near, near)]
        c = np.zeros(len(G))
        for _ in range(self.steps):
            squares = c @ G @ c - 2 * (G @ c) + G.diagonal()
            distances = np.sqrt(np.maximum(squares, 0))  # clamp: rounding can make a square negative
            clipped = self.radius / np.maximum(distances, self.radius) / len(rows)
            c = (1 - clipped.sum()) * c + clipped
        shares = np.zeros(len(rows))
        shares[near] = c
        return shares
