"""Images moved about at random: the usual augmentation for CIFAR-10, each draw with an address."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.problems.modules.pytorch import Tensor, library
from holdfast.problems.worker_samples import BLOCK, Shards
from holdfast.streams import Stream
from holdfast.typing import Features, Workers

MOST = 4
"""Pixels that an image is shifted by, at most, up or down and left or right; what comes in is 0."""


def flip_and_shift(images: Tensor, words: NDArray[np.uint64], flips: bool) -> Tensor:
    """Return each image of `(N, channels, height, width)` shifted, and with `flips` perhaps mirrored left to right.

    By three random words each, `(N, 3)`.
    """
    torch = library()
    high = words >> np.uint64(32)
    down, right = ((high[:, k] * np.uint64(2 * MOST + 1)) >> np.uint64(32) for k in (0, 1))
    mirrored = (high[:, 2] & np.uint64(1)).astype(bool) & flips
    height, width = images.shape[2:]
    rows = np.arange(height) + down.astype(np.int64)[:, np.newaxis]
    columns = np.where(mirrored[:, np.newaxis], np.arange(width)[::-1], np.arange(width))
    columns = columns + right.astype(np.int64)[:, np.newaxis]
    padded = torch.nn.functional.pad(images, (MOST, MOST, MOST, MOST))
    at = (np.arange(len(words))[:, np.newaxis, np.newaxis], rows[:, :, np.newaxis], columns[:, np.newaxis, :])
    sample, row, column = (torch.from_numpy(np.ascontiguousarray(each)).to(images.device) for each in at)
    return padded[sample, :, row, column].permute(0, 3, 1, 2)


Augment = Literal["none", "flip-shift", "shift"]


def as_images(features: Features) -> Features:
    """Return pictures `(N, height, width)` with a channel, `(N, 1, height, width)`; all else as it is."""
    return features[:, np.newaxis] if features.ndim == 3 else features


@dataclass(frozen=True, eq=False)
class Scaling:
    """x <- (x - shift) * factor, of each channel of images, or each feature of other samples."""

    shift: NDArray[np.float64]
    factor: NDArray[np.float64]

    @staticmethod
    def plain(scale: float) -> "Scaling":
        """Multiply by `scale` alone."""
        return Scaling(np.zeros(1), np.full(1, scale))

    @staticmethod
    def standard(features: Features) -> "Scaling":
        """Bring means to 0 and standard deviations to 1; what is constant stays constant."""
        axes = (0, 2, 3) if features.ndim == 4 else (0,)
        total, squares, count = 0.0, 0.0, features.size // np.prod(np.delete(features.shape, axes), initial=1)
        blocks = range(0, len(features), BLOCK)
        for start in blocks:
            total = total + features[start : start + BLOCK].sum(axis=axes, dtype=np.float64)
        mean = total / count
        centre = mean.reshape(-1, 1, 1) if features.ndim == 4 else mean
        for start in blocks:
            away = features[start : start + BLOCK] - centre
            squares = squares + (away * away).sum(axis=axes)
        deviation = np.sqrt(squares / count)
        return Scaling(mean, 1 / np.where(deviation > 0, deviation, 1))

    def tensors(self, axes: int, dtype: Any, device: str) -> tuple[Tensor, Tensor]:
        """Return both as tensors that fit samples with so many axes."""
        shape = (-1, 1, 1) if axes == 3 else (-1,)
        shift, factor = (library().as_tensor(each, dtype=dtype, device=device) for each in (self.shift, self.factor))
        return shift.reshape(shape), factor.reshape(shape)


class TensorBatches:
    """Minibatches of workers, addressed by (seed, worker, round). What is returned is valid until the next call."""

    def __init__(self, shards: Shards, scaling: Scaling, batch: int, seed: int, augment: Augment, device: str) -> None:
        torch = library()
        self._shards, self._batch, self._device = shards, batch, device
        self._features = torch.from_numpy(shards.features).to(device)
        targets = shards.targets if shards.targets.dtype.kind == "f" else shards.targets.astype(np.int64)
        self._targets = torch.from_numpy(targets).to(device)
        self._shape = tuple(shards.features.shape[1:])
        self._dtype = getattr(torch, np.dtype(shards.dtype).name)
        self._shift, self._factor = scaling.tensors(len(self._shape), self._dtype, device)
        self._draws, self._moves, self._augment = Stream(seed, "batch"), Stream(seed, "augmentation"), augment
        self._room: dict[int, tuple[Tensor, Tensor]] = {}
        if augment != "none" and len(self._shape) != 3:
            raise InvalidInput(f"augment={augment} needs images; got samples of shape {self._shape}")

    def __call__(self, workers: Workers, round: int) -> tuple[Tensor, Tensor]:
        """Return features `(n, batch, ...)`, scaled, and targets `(n, batch)`."""
        torch, starts = library(), self._shards.starts
        sizes = starts[workers] - starts[workers - 1]
        if not sizes.all():
            raise InvalidInput(f"every worker needs at least one sample; got none for worker {workers[sizes == 0][0]}")
        picked = starts[workers - 1][:, np.newaxis] + self._draws.integers(workers, round, sizes, self._batch)
        at = torch.from_numpy(picked.ravel()).to(self._device)
        raw, x = self._space(len(at))
        torch.index_select(self._features, 0, at, out=raw)
        if self._augment != "none":
            words = self._moves.words(workers, round, 3 * self._batch).reshape(-1, 3)
            raw = flip_and_shift(raw, words, flips=self._augment == "flip-shift")
        self.scale(raw, x)
        lead = (len(workers), self._batch)
        return x.view(*lead, *self._shape), self._targets[at].view(lead)

    def scale(self, raw: Tensor, out: Tensor = None) -> Tensor:
        """Return raw features as the module reads them."""
        out = library().empty(raw.shape, dtype=self._dtype, device=self._device) if out is None else out
        out.copy_(raw)
        return out.sub_(self._shift).mul_(self._factor)

    def _space(self, samples: int) -> tuple[Tensor, Tensor]:
        """Return room for raw and for scaled features, made once."""
        if samples not in self._room:
            torch, shape = library(), (samples, *self._shape)
            raw = torch.empty(shape, dtype=self._features.dtype, device=self._device)
            self._room[samples] = raw, torch.empty(shape, dtype=self._dtype, device=self._device)
        return self._room[samples]
