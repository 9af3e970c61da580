"""The laws of partitions: how samples are dealt to workers."""

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from holdfast.data import Partition
from holdfast.testing.inputs import for_every_part
from holdfast.testing.laws import EXAMPLES, SECONDS, Laws, require, require_same
from holdfast.testing.outcomes import Report

LAWS = Laws("partition")
Labels = NDArray[np.int64]
LABELS = for_every_part(st.lists(st.integers(-2, 7), min_size=1, max_size=80).map(np.array))
"""Few classes or many, of few samples or many, not numbered from 0."""
WORKERS = for_every_part(st.integers(1, 12))
SEEDS = for_every_part(st.integers(0, 2**32))


def check_partition(
    partition: Partition, *, raise_on_failure: bool = True, examples: int = 2 * EXAMPLES, seconds: float = SECONDS
) -> Report:
    """Test a partition against the laws of partitions.

    >>> from holdfast.data import Iid
    >>> check_partition(Iid(), examples=10).holds
    True
    """
    return LAWS.check(partition, raise_on_failure, examples, seconds)


def _deal(partition: Partition, labels: Labels, workers: int, seed: int) -> list[NDArray[np.int64]]:
    return list(partition.deal(labels, workers, np.random.default_rng(seed)))


@LAWS.law(labels=LABELS, workers=WORKERS, seed=SEEDS)
def deals_every_sample_once(partition: Partition, labels: Labels, workers: int, seed: int) -> None:
    """Every sample goes to exactly one worker."""
    dealt = np.concatenate(_deal(partition, labels, workers, seed))
    require(dealt.dtype.kind in "iu", f"samples are numbered by {dealt.dtype}, not by whole numbers")
    require_same(np.sort(dealt), np.arange(len(labels)), "in order, what was dealt")


@LAWS.law(labels=LABELS, workers=WORKERS, seed=SEEDS)
def leaves_nobody_empty(partition: Partition, labels: Labels, workers: int, seed: int) -> None:
    """Every worker has a sample, or the partition says that it cannot be."""
    lengths = [len(part) for part in _deal(partition, labels, workers, seed)]
    require(len(lengths) == workers and min(lengths) > 0, f"the workers have {lengths} samples")


@LAWS.law(labels=LABELS, workers=WORKERS, seed=SEEDS)
def goes_by_the_generator(partition: Partition, labels: Labels, workers: int, seed: int) -> None:
    """The same labels and the same generator deal the same, whatever was dealt before; no other randomness."""
    first = _deal(partition, labels, workers, seed)
    _deal(partition, labels, workers, seed + 1)
    again = _deal(partition, labels, workers, seed)
    for worker, (one, other) in enumerate(zip(first, again, strict=True), start=1):
        require_same(other, one, f"the second time, what worker {worker} holds")


@LAWS.law(labels=LABELS, workers=WORKERS, seed=SEEDS)
def leaves_its_input(partition: Partition, labels: Labels, workers: int, seed: int) -> None:
    """The labels are not written to."""
    shown = labels.copy()
    _deal(partition, shown, workers, seed)
    require_same(shown, labels, "what was given")
