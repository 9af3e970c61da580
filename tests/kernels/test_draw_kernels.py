"""Normal values and minibatches drawn inside compiled loops: the same words as `holdfast.streams`."""

import numpy as np
import pytest
import twins
from numpy.typing import NDArray

from holdfast import kernels
from holdfast.kernels import loading
from holdfast.streams import Stream

STREAMS = [Stream(seed, purpose) for seed in (0, 3) for purpose in ("batch", "attack")]


def test_keys_use_all_64_bits() -> None:
    """So that a kernel that took them for signed would be found out."""
    assert max(stream.key for stream in STREAMS) >= 2**63


@pytest.mark.parametrize("count", [1, 2, 3, 7, 1023, 1024, 1025, 1026, 2047, 2049, 65537])
def test_normals_are_those_of_the_words(count: int) -> None:
    """Within a few units in the last place of the radius, which is at most 8.5."""
    workers = np.array([1, 2, 10**6])
    for stream in STREAMS:
        for round in (0, 41, 10**9):
            values = kernels.normals(stream.key, workers, round, count)
            assert (values.dtype, values.shape) == (np.dtype(np.float64), (3, count))
            np.testing.assert_allclose(values, twins.normals(stream, workers, round, count), rtol=0, atol=1e-14)


def around(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """These values and their neighbours on either side, within [0, 1)."""
    near = np.concatenate([np.nextafter(values, 0), values, np.nextafter(values, 1)])
    return near[near < 1]


def test_radii_of_the_extreme_words() -> None:
    """sqrt(-2 log(1 - u)), also where u is 0, next to 1, and where the series changes its range."""
    steps = np.arange(2**12) * 2.0**-52
    u = np.concatenate(
        [steps, 1 - steps[1:], 1 - 2.0 ** -np.arange(1, 53), around(1 - np.sqrt(0.5) / 2.0 ** np.arange(8))]
    )
    u = np.floor(u * 2.0**52) * 2.0**-52  # as words make them
    draws, left = loading.kernels("draws"), 1 - u
    exponents, mantissas, radii = np.empty_like(u), np.empty_like(u), np.empty_like(u)
    draws._taken_apart(left.view(np.uint64), exponents.view(np.uint64), mantissas.view(np.uint64))
    draws._radii(exponents, mantissas, radii)
    np.testing.assert_allclose(radii, np.sqrt(-2 * np.log(1 - u)), rtol=4e-16 * 4)
    assert radii[0] == 0


def test_turns_by_every_eighth() -> None:
    """Cosine and sine of 2 pi t at multiples of an eighth, next to them, and between."""
    eighths = around(np.arange(9) / 8)
    turns = np.concatenate([eighths, np.linspace(0, 1, 1000, endpoint=False)])
    cosines, sines = np.empty_like(turns), np.empty_like(turns)
    loading.kernels("draws")._turn(np.full_like(turns, 2.0), turns, cosines, sines)
    np.testing.assert_allclose(cosines, 2 * np.cos(2 * np.pi * turns), rtol=0, atol=2e-15)
    np.testing.assert_allclose(sines, 2 * np.sin(2 * np.pi * turns), rtol=0, atol=2e-15)
    quarters = [list(turns).index(quarter) for quarter in (0, 0.25, 0.5, 0.75)]
    assert (cosines[quarters] + 0).tolist() == [2, 0, -2, 0]
    assert (sines[quarters] + 0).tolist() == [0, 2, 0, -2]


@pytest.mark.parametrize("batch", [1, 7, 8, 9, 33])
def test_minibatches_are_those_of_the_stream(batch: int) -> None:
    """A gradient that counts: least squares at 0 with targets -1 and one feature a sample.

    Times weight / batch = 1 it holds how often each sample was drawn, then how many were drawn.
    """
    starts = np.array([0, 1, 3, 40, 1000])
    features, targets = np.eye(1000), np.full(1000, -1)
    workers, model = np.array([4, 1, 3, 2, 3]), np.zeros(1001)
    for stream in STREAMS:
        for round in (0, 1, 10**9):
            drawn = (
                stream.integers(workers, round, np.diff(starts)[workers - 1], batch) + starts[workers - 1, np.newaxis]
            )
            expected = [[*np.bincount(row, minlength=1000), batch] for row in drawn]
            dealt = kernels.Dealt(kernels.LEAST_SQUARES, features, targets, starts, 1.0, batch)
            counts = kernels.worker_round(dealt, kernels.Draw(stream.key, round, batch), workers, model)
            np.testing.assert_array_equal(counts, expected)
