"""What our partitions keep to beyond the laws of `holdfast.testing`: when they refuse, and how even they are."""

from typing import Any, Literal, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.data.partitions import ByLabel, Dirichlet, Iid, Partition
from holdfast.errors import InvalidInput

PER: list[Literal["class", "worker"]] = ["class", "worker"]
PARTITIONS: list[Partition] = [Iid(), ByLabel(), *(Dirichlet(a, per) for a in (0.01, 1.0, 1e6) for per in PER)]
every_partition = pytest.mark.parametrize("partition", PARTITIONS, ids=str)

alphas = st.floats(1e-6, 1e6)
label_lists = st.lists(st.integers(-2, 7), min_size=1, max_size=80)


@every_partition
@given(labels=label_lists, workers=st.integers(1, 30), seed=st.integers(0, 2**32))
def test_every_sample_is_dealt_once_and_nobody_goes_empty(
    partition: Partition, labels: list[int], workers: int, seed: int
) -> None:
    try:
        parts = partition.deal(np.array(labels), workers, np.random.default_rng(seed))
    except InvalidInput:
        fewest = min(labels.count(label) for label in labels)
        shared = isinstance(partition, ByLabel) and fewest < -(-workers // len(set(labels)))
        assert workers > len(labels) or shared
        return
    assert len(parts) == workers
    assert min(map(len, parts)) >= 1
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(labels)))


@given(labels=label_lists, workers=st.integers(1, 20), alpha=alphas, seed=st.integers(0, 2**32))
def test_dirichlet_of_any_alpha_leaves_nobody_empty(labels: list[int], workers: int, alpha: float, seed: int) -> None:
    everyone = min(workers, len(labels))
    parts = Dirichlet(alpha).deal(np.array(labels), everyone, np.random.default_rng(seed))
    assert min(map(len, parts)) >= 1
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(labels)))


EVEN = 1e14
"""An alpha at which shares are equal to seven digits."""


@given(labels=label_lists, workers=st.integers(1, 20), seed=st.integers(0, 2**32))
def test_a_huge_alpha_cuts_each_class_evenly(labels: list[int], workers: int, seed: int) -> None:
    """Everyone gets n / m of a class, rounded up or down; where n / m is whole, noise may take or give one.

    Nobody but who would have been empty gets another's sample.
    """
    everyone = min(workers, len(labels))
    parts = Dirichlet(EVEN).deal(np.array(labels), everyone, np.random.default_rng(seed))
    fair = {label: labels.count(label) / everyone for label in labels}
    spared = sum(len(part) == 1 for part in parts)
    for part in parts:
        for label, share in fair.items():
            count = sum(labels[sample] == label for sample in part)
            assert share - 1 - 1e-5 - spared <= count <= share + 1 + 1e-5


@given(classes=st.integers(1, 10), size=st.integers(1, 40), workers=st.integers(1, 20), seed=st.integers(0, 2**32))
def test_a_huge_alpha_makes_shards_of_equal_classes_even(classes: int, size: int, workers: int, seed: int) -> None:
    """Hermite's identity: cuts of C classes add up to floor(C x), as if one class of C n samples were cut."""
    labels = np.arange(classes * size) % classes
    everyone = min(workers, len(labels))
    sizes = [len(part) for part in Dirichlet(EVEN).deal(labels, everyone, np.random.default_rng(seed))]
    assert max(abs(size - len(labels) / everyone) for size in sizes) <= 1 + 1e-5


def test_no_place_among_the_workers_is_favoured() -> None:
    """10 classes of 12 samples for 20 workers, 0.6 each: 6 samples for everyone, not 10 for one and 0 for the next."""
    labels = np.arange(120) % 10
    sizes = [[len(part) for part in Dirichlet(1e6).deal(labels, 20, np.random.default_rng(seed))] for seed in range(50)]
    assert np.abs(np.mean(sizes, axis=0) - 6).max() < 0.5


@every_partition
def test_the_generator_decides(partition: Partition) -> None:
    labels = np.arange(200) % 4

    def dealt(seed: int) -> list[Any]:
        return [part.tolist() for part in partition.deal(labels, 4, np.random.default_rng(seed))]

    assert dealt(0) == dealt(0)
    assert dealt(0) != dealt(1)


@given(samples=st.integers(1, 60), workers=st.integers(1, 60), seed=st.integers(0, 2**32))
def test_iid_shards_differ_by_one_sample_at_most(samples: int, workers: int, seed: int) -> None:
    few = min(samples, workers)
    sizes = [len(part) for part in Iid().deal(np.zeros(samples), few, np.random.default_rng(seed))]
    assert max(sizes) - min(sizes) <= 1


@given(classes=st.integers(1, 12), workers=st.integers(1, 30))
def test_by_label_follows_its_formula(classes: int, workers: int) -> None:
    labels = np.arange(classes * 30) % classes
    parts = ByLabel().deal(labels, workers, np.random.default_rng(0))
    for worker, part in enumerate(parts):
        if workers >= classes:
            expected = {worker * classes // workers}
        else:
            expected = {label for label in range(classes) if label * workers // classes == worker}
        assert set(cast(list[int], labels[part].tolist())) == expected
