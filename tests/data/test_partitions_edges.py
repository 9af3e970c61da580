"""Partitions where numbers do not work out evenly, or not at all."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from holdfast.data.partitions import ByLabel, Dirichlet, Iid, Partition
from holdfast.errors import InvalidInput

DIGITS = np.random.default_rng(0).permutation(np.repeat(np.arange(10), np.arange(40, 50)))
"""40 zeros, 41 ones, ..., 49 nines, shuffled."""


def dealt(partition: Partition, labels: NDArray[Any], workers: int) -> list[NDArray[np.int64]]:
    return partition.deal(labels, workers, np.random.default_rng(3))


def classes(labels: NDArray[Any], workers: int) -> list[list[int]]:
    """The classes that each worker holds under ByLabel."""
    return [np.unique(labels[part]).tolist() for part in dealt(ByLabel(), labels, workers)]


def test_every_two_of_20_workers_share_a_digit_evenly() -> None:
    assert classes(DIGITS, 20) == [[worker // 2] for worker in range(20)]
    sizes = [len(part) for part in dealt(ByLabel(), DIGITS, 20)]
    assert sizes == [20, 20, 21, 20, 21, 21, 22, 21, 22, 22, 23, 22, 23, 23, 24, 23, 24, 24, 25, 24]


def test_sharers_of_a_digit_get_a_random_half() -> None:
    first, second = dealt(ByLabel(), DIGITS, 20)[:2]
    assert sorted([*first, *second]) == np.flatnonzero(DIGITS == 0).tolist()
    assert first.max() > second.min()
    assert second.max() > first.min()


def test_more_classes_than_workers() -> None:
    """Class c goes to worker floor(4 c / 10)."""
    assert classes(DIGITS, 4) == [[0, 1, 2], [3, 4], [5, 6, 7], [8, 9]]
    assert classes(DIGITS, 1) == [list(range(10))]


def test_workers_that_are_no_multiple_of_the_classes() -> None:
    """Worker i shares class floor(10 i / 13)."""
    assert classes(DIGITS, 13) == [[0], [0], [1], [2], [3], [3], [4], [5], [6], [6], [7], [8], [9]]


def test_a_class_that_is_missing_is_not_counted() -> None:
    without = DIGITS[DIGITS != 4]
    assert classes(without, 9) == [[0], [1], [2], [3], [5], [6], [7], [8], [9]]
    assert classes(without, 3) == [[0, 1, 2], [3, 5, 6], [7, 8, 9]]


def test_labels_need_not_be_whole_numbers_from_0() -> None:
    assert classes(np.array([-1.5, 7.0, -1.5, 7.0]), 2) == [[-1.5], [7.0]]


def test_a_class_with_fewer_samples_than_workers() -> None:
    labels = np.array([0, 0, 0, 0, 0, 1])
    with pytest.raises(InvalidInput, match="a sample of class 1 for each of its 2 workers; got 1"):
        dealt(ByLabel(), labels, 4)


@pytest.mark.parametrize("partition", [Iid(), ByLabel(), Dirichlet(1.0)], ids=str)
def test_more_workers_than_samples(partition: Partition) -> None:
    with pytest.raises(InvalidInput, match="workers must be at most the 3 training samples; got 4"):
        dealt(partition, np.array([0, 1, 2]), 4)


@pytest.mark.parametrize("partition", [Iid(), ByLabel(), Dirichlet(0.001)], ids=str)
def test_as_many_workers_as_samples(partition: Partition) -> None:
    assert sorted(np.concatenate(dealt(partition, np.arange(7), 7)).tolist()) == list(range(7))
    assert [len(part) for part in dealt(partition, np.arange(7), 7)] == [1] * 7


def test_iid_shards_are_shuffled_and_even() -> None:
    parts = dealt(Iid(), DIGITS, 20)
    assert [len(part) for part in parts] == [23] * 5 + [22] * 15
    assert all(len(np.unique(DIGITS[part])) > 5 for part in parts)


def test_the_smaller_alpha_the_more_workers_differ() -> None:
    """Measured by the share of a worker's most frequent class, averaged over the workers."""
    labels = np.repeat(np.arange(10), 200)

    def purity(alpha: float) -> float:
        parts = dealt(Dirichlet(alpha), labels, 10)
        return float(np.mean([np.bincount(labels[part]).max() / len(part) for part in parts]))

    assert purity(0.01) > 0.7 > purity(1.0) > 0.2 > purity(1000.0) > 0.1


def test_a_large_alpha_cuts_every_class_evenly() -> None:
    labels = np.repeat([0, 1], [300, 600])
    counts = [np.bincount(labels[part]).tolist() for part in dealt(Dirichlet(1e9), labels, 3)]
    assert counts == [[100, 200]] * 3


@pytest.mark.parametrize("alpha", [0.0, -1.0, float("nan"), float("inf")])
def test_alphas_that_cannot_be(alpha: float) -> None:
    with pytest.raises(InvalidInput, match=f"alpha > 0; got alpha={alpha}"):
        Dirichlet(alpha)
