"""Krum and Multi-Krum, the rows whose nearest neighbours are nearest; Bulyan, which averages the choices of Krum."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast import kernels
from holdfast.aggregators.distances import squared_distances
from holdfast.aggregators.families import Equivariant, Weighted
from holdfast.aggregators.requirements import Declared, require_declared, require_whole
from holdfast.arrays import check_rows, like
from holdfast.errors import InvalidInput
from holdfast.typing import Rows, Vector


@dataclass(frozen=True)
class Krum(Declared, Weighted):
    """The row whose n - byzantine - 2 nearest neighbours are nearest to it (eq. krum).

    Blanchard et al. (2017): with N_i these neighbours of row i, itself not counted,

        argmin_i sum_{j in N_i} |v_i - v_j|^2,

    of tied rows the first. A row with NaN or an infinity is infinitely far away, so it is neither chosen
    nor counted on while at most `byzantine` rows hold any. While at most `byzantine` of
    n >= 2 byzantine + 3 rows lie, the result is within sqrt(n - byzantine - 2) honest diameters of an
    honest row. `byzantine=None`: the run tells.

    >>> Krum(byzantine=1)(np.array([[0.0], [1.0], [3.0], [99.0]]))
    array([0.])
    """

    cites: ClassVar[tuple[str, ...]] = ("blanchard2017machine",)
    needs: ClassVar[tuple[int, int]] = (2, 3)

    def weights(self, rows: Rows) -> Vector:
        weights = np.zeros(len(rows))
        weights[krum_scores(self, rows).argmin()] = 1.0
        return weights


def krum_scores(rule: Weighted, rows: Rows) -> Vector:
    """Return for each row the sum of the squared distances to its n - byzantine - 2 nearest others."""
    n, byzantine = len(rows), require_declared(rule)
    neighbours = n - byzantine - 2
    if neighbours < 1:
        raise InvalidInput(f"{type(rule).__name__} needs n >= byzantine + 3; got n={n}, byzantine={byzantine}")
    nearest = np.sort(squared_distances(rows), axis=1)[:, 1 : 1 + neighbours]  # the first is the row itself
    with np.errstate(over="ignore"):
        scores: Vector = nearest.sum(axis=1)
    return scores


@dataclass(frozen=True)
class MultiKrum(Declared, Weighted):
    """The mean of the `selected` rows with the least Krum scores.

    Blanchard et al. (2017), there called Multi-Krum: with s_i the sum of squared distances from row i to
    its n - byzantine - 2 nearest others, and i_1, ..., i_n the rows by increasing s_i, of tied ones the first,

        1 / selected * (v_{i_1} + ... + v_{i_selected}).

    `selected=None` is n - byzantine: all rows that may be honest, and the most that leave out `byzantine`
    rows with NaN or an infinity, which are infinitely far away; more are refused. 1 is Krum. While at most
    `byzantine` of n >= 2 byzantine + 3 rows lie, every selected row is within sqrt(n - byzantine - 2) honest
    diameters of an honest row. `byzantine=None`: the run tells.

    >>> MultiKrum(byzantine=1)(np.array([[0.0], [1.0], [5.0], [99.0]]))
    array([2.])
    """

    cites: ClassVar[tuple[str, ...]] = ("blanchard2017machine",)
    needs: ClassVar[tuple[int, int]] = (2, 3)
    selected: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole(self, "selected", least=1, optional=True)

    def weights(self, rows: Rows) -> Vector:
        n, byzantine = len(rows), require_declared(self)
        selected = n - byzantine if self.selected is None else self.selected
        scores = krum_scores(self, rows)
        if selected > n - byzantine:
            raise InvalidInput(
                f"MultiKrum needs selected <= n - byzantine; got selected={selected}, n={n}, byzantine={byzantine}"
            )
        weights = np.zeros(n)
        weights[np.argsort(scores, kind="stable")[:selected]] = 1 / selected
        return weights


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
