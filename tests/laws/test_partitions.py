"""What every partition keeps to: each sample is dealt once, nobody goes empty, and the generator decides."""

from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.data.partitions import REGISTRY, ByLabel, Dirichlet, Iid, Partition
from holdfast.errors import InvalidInput

PARTITIONS: list[Partition] = [Iid(), ByLabel(), Dirichlet(0.01), Dirichlet(1.0), Dirichlet(1e6)]
every_partition = pytest.mark.parametrize("partition", PARTITIONS, ids=str)

alphas = st.floats(1e-6, 1e6)
label_lists = st.lists(st.integers(-2, 7), min_size=1, max_size=80)


def test_every_partition_is_here() -> None:
    assert {type(partition) for partition in PARTITIONS} == set(REGISTRY.values())


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
