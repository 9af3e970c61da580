"""Images moved about at random: the usual augmentation for CIFAR-10, each draw with an address."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.problems.modules.library import library

MOST = 4
"""Pixels that an image is shifted by, at most, up or down and left or right; what comes in is 0."""


def flip_and_shift(images: Any, words: NDArray[np.uint64], flips: bool) -> Any:
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
