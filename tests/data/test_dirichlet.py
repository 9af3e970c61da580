"""Dirichlet partitions: those per class as they always were, those per worker by their laws."""

from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from holdfast.data import ByLabel, Dirichlet, Iid, Partition, load
from holdfast.data.partitions import Parts
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec

LABELS = np.repeat(np.arange(10), [100, 100, 100, 100, 100, 400, 100, 100, 100, 100])
"""Class 5 is four times as frequent as any other."""


def per_worker(alpha: float, labels: NDArray[np.int64] = LABELS, workers: int = 13, seed: int = 0) -> Parts:
    return Dirichlet(alpha, per="worker").deal(labels, workers, np.random.default_rng(seed))


def counts(parts: Parts, labels: NDArray[np.int64] = LABELS) -> NDArray[np.int64]:
    """Return how many samples of each class each worker holds."""
    return np.array([np.bincount(labels[part], minlength=10) for part in parts])


@pytest.mark.parametrize(
    ("partition", "digest"),
    [
        (Iid(), "720ef68280694fc1"),
        (ByLabel(), "b05f377e1b486638"),
        (Dirichlet(0.1), "da17c39e6849d20a"),
        (Dirichlet(1.0), "4b622972bade3b2e"),
        (Dirichlet(100.0, per="class"), "7a0d5d5b1d096af4"),
    ],
    ids=str,
)
def test_who_holds_which_digits_never_changes(partition: Partition, digest: str) -> None:
    """Numbers that the first version dealt."""
    parts = partition.deal(load("digits").train_targets, 20, np.random.default_rng(7))
    assert sha256(b"".join(part.astype("<i8").tobytes() + b"|" for part in parts)).hexdigest()[:16] == digest


@given(
    labels=st.lists(st.integers(-2, 7), min_size=1, max_size=80),
    workers=st.integers(1, 20),
    alpha=st.floats(1e-300, 1e300),
    seed=st.integers(0, 2**32),
)
def test_every_sample_is_dealt_once_and_shards_are_even(
    labels: list[int], workers: int, alpha: float, seed: int
) -> None:
    everyone = min(workers, len(labels))
    parts = per_worker(alpha, np.array(labels), everyone, seed)
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(labels)))
    sizes = [len(part) for part in parts]
    assert len(sizes) == everyone
    assert max(sizes) - min(sizes) <= 1


def test_a_large_alpha_is_near_iid() -> None:
    """13 workers of 100: 7.7 of each class, 30.8 of class 5, as multinomial draws; the last ones take what is left.

    Of most workers, no count is farther than 4 deviations from that.
    """
    expected = np.where(np.arange(10) == 5, 400, 100) / 13
    near = [np.abs(counts(per_worker(1e9, seed=seed)) - expected) < 4 * np.sqrt(expected) for seed in range(10)]
    assert np.mean([each.all(axis=1) for each in near]) > 0.8
    assert np.mean(near) > 0.97


def test_a_small_alpha_is_few_classes_per_worker() -> None:
    """A worker takes one class until none is left of it, then the next."""
    held = np.concatenate([(counts(per_worker(1e-9, seed=seed)) > 0).sum(axis=1) for seed in range(10)])
    assert np.median(held) <= 2
    assert held.max() <= 5


def test_between_them_workers_differ_the_more_the_smaller_alpha_is() -> None:
    def spread(alpha: float) -> float:
        return float(np.mean([counts(per_worker(alpha, seed=seed)).std(axis=0).mean() for seed in range(10)]))

    spreads = [spread(alpha) for alpha in (0.01, 1.0, 10.0, 1000.0)]
    assert spreads == sorted(spreads, reverse=True)
    assert spreads[0] > 2 * spreads[-1]


def test_frequent_classes_are_chosen_more_often() -> None:
    """q expects p: 4/13 of a worker's samples are of class 5. The first of many workers takes them as it likes."""
    shares = [counts(per_worker(5.0, workers=300, seed=seed))[:, 5].mean() / (1300 / 300) for seed in range(3)]
    assert shares == pytest.approx([4 / 13] * 3, abs=0.02)
    drawn = [(counts(per_worker(5.0, workers=300, seed=seed))[:, 5] == 0).mean() for seed in range(3)]
    assert min(drawn) > 0.1  # but not everybody the same


def test_no_number_decides_who_takes_what_is_left() -> None:
    """Over many seeds the last worker's counts spread as the first one's."""
    tables = np.array([counts(per_worker(1e9, seed=seed)) for seed in range(200)])
    first, last = tables[:, 0].std(axis=0).mean(), tables[:, -1].std(axis=0).mean()
    assert first == pytest.approx(last, rel=0.25)


def test_the_generator_decides() -> None:
    for one, other in ((0, 0), (0, 1)):
        parts = zip(per_worker(0.5, seed=one), per_worker(0.5, seed=other), strict=True)
        assert all(np.array_equal(*both) for both in parts) == (one == other)


def test_runs_deal_by_their_seed() -> None:
    spec = Spec(data="digits", partition="dirichlet:alpha=0.5,per=worker", workers=6, rounds=3)
    models = [run(Spec(**(vars(spec) | {"seed": seed}))).model.tobytes() for seed in (1, 1, 2)]
    assert models[0] == models[1] != models[2]
    assert spec.partition == Dirichlet(0.5, per="worker")
    assert run(spec).model.tobytes() != run(Spec(**(vars(spec) | {"partition": Dirichlet(0.5)}))).model.tobytes()
