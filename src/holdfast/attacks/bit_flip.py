from dataclasses import dataclass
from typing import Literal

import numpy as np

from holdfast.attacks.base import LocalAttack, LocalView
from holdfast.streams import Stream
from holdfast.typing import Rows


@dataclass(frozen=True)
class BitFlip(LocalAttack):
    """Flip one bit of every number of the true message, as a faulty memory or line does.

    `bit=sign` turns every number round, which the literature calls bit flipping; `bit=random` flips one bit of each
    number, uniformly among all that its type has, drawn anew for every worker and round: exponents too, so that
    numbers may come out huge, infinite or NaN.

    >>> BitFlip()(LocalView(np.array([[1.5, -2.0]]), np.zeros(2), np.array([3]), 0, 0))
    array([[-1.5,  2. ]])
    """

    bit: Literal["sign", "random"] = "sign"

    def __call__(self, view: LocalView, /) -> Rows:
        if self.bit == "sign":
            return -view.own
        size = view.own.dtype.itemsize
        word = np.dtype(f"u{size}").type
        drawn = Stream(view.seed, "bit flip").words(view.workers, view.round, view.own.shape[-1])
        mask = word(1) << (drawn % np.uint64(8 * size)).astype(word)
        flipped: Rows = (np.ascontiguousarray(view.own).view(word) ^ mask).view(view.own.dtype)
        return flipped
