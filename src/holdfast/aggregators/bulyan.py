from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast import kernels
from holdfast.aggregators.distances import squared_distances
from holdfast.aggregators.families import Equivariant
from holdfast.aggregators.requirements import Declared, require_declared
from holdfast.arrays import check_rows, like
from holdfast.errors import InvalidInput
from holdfast.typing import Rows, Vector


@dataclass(frozen=True)
class Bulyan(Declared, Equivariant):
    """Krum n - 2 byzantine times, then per coordinate the mean of the values of its choices nearest their median.

    El Mhamdi, Guerraoui and Rouault (2018). Krum chooses a row, which is set aside; of the m that are left
    it chooses again by their m - byzantine - 2 nearest others, theta = n - 2 byzantine times in all. Then, per
    coordinate, the theta - 2 byzantine chosen values nearest their median are averaged, of two as near the lower.

    The paper does not say what Krum does with fewer than byzantine + 3 rows, which the last choices have when
    byzantine <= 1; here it goes by one neighbour. Of tied rows, as two are that are each other's only neighbour, it
    chooses by one neighbour more. A row with NaN or an infinity is infinitely far away: while at most
    `byzantine` of n >= 4 byzantine + 3 rows lie, it is not chosen, and no coordinate leaves the range of the honest
    values by more than byzantine / (n - 4 byzantine) of that range: at most `byzantine` of the averaged values lie,
    each no farther from the median than the farthest honest one. `byzantine=None`: the run tells.

    >>> Bulyan(byzantine=1)(np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [np.nan]]))
    array([2.])
    """

    cites: ClassVar[tuple[str, ...]] = ("elmhamdi2018hidden", "blanchard2017machine")
    needs: ClassVar[tuple[int, int]] = (4, 3)

    def __call__(self, rows: Rows) -> Vector:
        array = check_rows(self, rows)
        n, byzantine = len(array), require_declared(self)
        if n < 4 * byzantine + 3:
            raise InvalidInput(f"Bulyan needs n >= 4 * byzantine + 3; got n={n}, byzantine={byzantine}")
        chosen = self.choose(array)
        theta = len(chosen)
        middle = range((theta - 1) // 2, theta // 2 + 1)
        return like(rows, kernels.mean_nearest(array, chosen, middle, theta - 2 * byzantine))

    def choose(self, rows: Rows) -> NDArray[np.int64]:
        """Return the rows that Krum chooses one after the other."""
        n, byzantine = len(rows), require_declared(self)
        distances, left = squared_distances(rows), np.arange(n)
        chosen: list[int] = []
        while len(chosen) < n - 2 * byzantine:
            neighbours = min(max(len(left) - byzantine - 2, 1), len(left) - 1)
            with np.errstate(over="ignore"):
                scores = np.sort(distances[np.ix_(left, left)], axis=1).cumsum(axis=1)[:, neighbours:]
            best = np.lexsort(scores.T[::-1])[0]
            chosen.append(int(left[best]))
            left = np.delete(left, best)
        return np.array(chosen, np.int64)
