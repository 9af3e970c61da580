"""Where in an array of rows some workers are."""

import numpy as np
from numpy.typing import NDArray

Where = slice | NDArray[np.int64]


def split(mask: NDArray[np.bool_]) -> tuple[Where, Where]:
    """Return which entries are set and which are not: as slices if they are neighbours; taking those copies nothing."""
    return _where(mask), _where(~mask)


def _where(mask: NDArray[np.bool_]) -> Where:
    (at,) = np.nonzero(mask)
    if len(at) and at[-1] - at[0] + 1 == len(at):
        return slice(int(at[0]), int(at[-1]) + 1)
    return at
