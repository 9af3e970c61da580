"""The messages that every contestant is given, in the form it takes."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

BYZANTINE = 0.4
"""The share of Byzantine workers that rules are told, as in the paper (8 of 20)."""
SAMPLE = 50_000


@dataclass(frozen=True, eq=False)
class Inputs:
    """Messages `(m, d)` about a model: the same vector in each, plus noise that is larger in some than in others.

    Nobody lies: how long a rule takes should not depend on that, and Weiszfeld's plain iteration takes fewest
    steps so. The noise differs so that Krum has a clear choice, whichever number of neighbours a library counts.
    """

    rows: NDArray[np.float32]
    model: NDArray[np.float32]

    @staticmethod
    def of(m: int, d: int, seed: int = 0) -> "Inputs":
        random = np.random.default_rng(seed)
        model = random.standard_normal(d, dtype=np.float32)
        rows = random.standard_normal((m, d), dtype=np.float32)
        rows *= random.permutation(np.linspace(0.5, 1.5, m, dtype=np.float32))[:, np.newaxis]
        rows += model
        return Inputs(rows, model)

    @cached_property
    def sample(self) -> "Inputs":
        """Some of the columns, to guess how long all of them would take."""
        some = slice(0, SAMPLE)
        return Inputs(self.rows[:, some].copy(), self.model[some].copy())

    @property
    def byzantine(self) -> int:
        return int(BYZANTINE * len(self.rows))

    @cached_property
    def tensor(self) -> Any:
        import torch

        return torch.from_numpy(self.rows)

    @cached_property
    def model_tensor(self) -> Any:
        import torch

        return torch.from_numpy(self.model)

    @cached_property
    def tensors(self) -> list[Any]:
        """A tensor a worker."""
        return list(self.tensor)

    @cached_property
    def results(self) -> list[tuple[list[NDArray[np.float32]], int]]:
        """Flower's form: the layers of each worker, of which there is one, and its number of samples."""
        return [([row], 1) for row in self.rows]

    @cached_property
    def coins(self) -> NDArray[np.uint8]:
        """What decides ties when bits are packed; there are none here."""
        from holdfast.kernels import bit_width

        return np.zeros((len(self.rows), bit_width(self.model.size)), np.uint8)

    @cached_property
    def our_bits(self) -> NDArray[np.uint8]:
        """The sides of the model, packed by holdfast."""
        from holdfast.kernels import pack_bits

        return pack_bits(self.model, self.rows, self.coins)

    @cached_property
    def numpy_bits(self) -> NDArray[np.uint8]:
        """The same, packed by NumPy."""
        return np.packbits(self.model > self.rows, axis=1)

    @cached_property
    def typical_distance(self) -> float:
        """The median distance of a message from the mean of all, by which Weiszfeld's step is measured."""
        return float(np.median(np.linalg.norm(self.rows - self.rows.mean(axis=0), axis=1)))
