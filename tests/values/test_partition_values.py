"""Partitions whose outcome can be told beforehand, and files that say who gets what."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from holdfast.data import (
    PARTITIONS,
    Assignment,
    FeatureNoise,
    Iid,
    Partition,
    Quantity,
    ShardsPerWorker,
    Similarity,
    holdings,
    load,
)
from holdfast.errors import InvalidInput
from holdfast.problems import Softmax
from holdfast.runs.runner import resume, run
from holdfast.runs.spec import Spec
from holdfast.runs.workbench import SHARED

DIGITS = np.random.default_rng(0).permutation(np.repeat(np.arange(10), 40))
"""40 of each digit, shuffled."""


def dealt(partition: Partition, labels: NDArray[Any] = DIGITS, workers: int = 10, seed: int = 3) -> list[Any]:
    return partition.deal(labels, workers, np.random.default_rng(seed))


def test_shards_of_one_class_each() -> None:
    """400 samples in 20 shards of 20: two of each class, so everyone holds two shards of 20 of at most two classes."""
    table = holdings(DIGITS, dealt(ShardsPerWorker(2))).counts
    assert set(np.unique(table)) <= {0, 20, 40}
    assert table.sum(axis=1).tolist() == [40] * 10
    assert table.sum(axis=0).tolist() == [40] * 10
    assert (table == 20).any()  # dealt at random, not in order


def test_shards_are_dealt_at_random_and_shuffled_within_a_class() -> None:
    first, second = dealt(ShardsPerWorker(1), np.zeros(10), 2)
    assert {*first, *second} == set(range(10))
    assert len({sample // 5 for sample in first}) == 2  # of either half
    orders = {tuple(int(DIGITS[part[0]]) for part in dealt(ShardsPerWorker(1), seed=seed)) for seed in range(5)}
    assert len(orders) == 5


def test_shards_need_samples() -> None:
    with pytest.raises(InvalidInput, match="shards needs a sample for each of 6 shards; got 5"):
        dealt(ShardsPerWorker(3), np.arange(5), 2)


def test_similarity_0_is_sorted() -> None:
    assert holdings(DIGITS, dealt(Similarity(0.0))).counts.tolist() == (40 * np.eye(10)).tolist()


def test_similarity_a_half() -> None:
    """200 of 400 at random, 20 for each worker; the others sorted, 20 for each: worker i mostly has class i."""
    table = holdings(DIGITS, dealt(Similarity(0.5))).counts
    assert table.sum(axis=1).tolist() == [40] * 10
    near = sum(table[i, max(i - 1, 0) : i + 2].sum() for i in range(10))
    assert 200 <= near < 330  # the sorted half, up to one class off, and three tenths of the others
    assert (table > 0).sum() > 60


def test_similarity_1_is_iid() -> None:
    table = holdings(DIGITS, dealt(Similarity(1.0))).counts
    assert table.sum(axis=1).tolist() == [40] * 10
    assert table.max() < 15


@given(n=st.integers(1, 60), workers=st.integers(1, 20), gamma=st.floats(0, 1), seed=st.integers(0, 2**32))
def test_similar_workers_have_equally_many(n: int, workers: int, gamma: float, seed: int) -> None:
    everyone = min(n, workers)
    sizes = [len(part) for part in dealt(Similarity(gamma), np.arange(n) % 3, everyone, seed)]
    assert max(sizes) - min(sizes) <= 1
    assert sum(sizes) == n


def test_quantities_differ_and_classes_do_not() -> None:
    labels = np.arange(20_000) % 2
    parts = dealt(Quantity(0.5), labels, 10)
    sizes = np.array([len(part) for part in parts])
    assert sizes.max() > 5 * sizes.min()
    for part in parts:
        if len(part) > 200:
            assert abs(labels[part].mean() - 0.5) < 0.15


def test_a_large_alpha_makes_quantities_even() -> None:
    """39 each, and one; noise in the shares may put either cut one off."""
    sizes = [len(part) for part in dealt(Quantity(1e9))]
    assert max(abs(size - 40) for size in sizes) <= 1


@given(n=st.integers(1, 60), workers=st.integers(1, 20), alpha=st.floats(1e-3, 1e6), seed=st.integers(0, 2**32))
def test_however_uneven_nobody_goes_without(n: int, workers: int, alpha: float, seed: int) -> None:
    everyone = min(n, workers)
    parts = dealt(Quantity(alpha), np.zeros(n), everyone, seed)
    assert min(map(len, parts)) >= 1
    assert sorted(np.concatenate(parts).tolist()) == list(range(n))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("shards:per_worker=0", "per_worker"),
        ("similarity:gamma=1.5", "gamma"),
        ("similarity:gamma=-0.1", "gamma"),
        ("quantity:alpha=0", "quantity needs alpha > 0; got alpha=0.0"),
        ("assignment", "partition 'assignment' needs file"),
        ("assignment:file=who.txt", "assignment needs an .npy or .csv file; got who.txt"),
        ("assignment:file=nowhere.csv", "assignment needs a file that can be read; got nowhere.csv"),
    ],
)
def test_options_that_cannot_be(text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        PARTITIONS.make(text)


@pytest.mark.parametrize("text", ["2,1,2,3", "2\n1\n2\n3\n", "2 1\n2 3"])
def test_an_assignment_in_text(text: str, tmp_path: Path) -> None:
    file = tmp_path / "who.csv"
    file.write_text(text)
    assert [part.tolist() for part in dealt(Assignment(str(file)), np.zeros(4), 3)] == [[1], [0, 2], [3]]


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float64])
def test_an_assignment_in_an_array(dtype: type, tmp_path: Path) -> None:
    file = tmp_path / "who.npy"
    np.save(file, np.array([2, 1, 2, 3], dtype))
    assert [part.tolist() for part in dealt(Assignment(str(file)), np.zeros(4), 3)] == [[1], [0, 2], [3]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1,2", "must have one number for each of 4 training samples; got 2"),
        ("1,2,3,4", "must hold workers' numbers from 1 to 3; got 4"),
        ("1,0,3,2", "must hold workers' numbers from 1 to 3; got 0"),
        ("1,1.5,3,2", "must hold workers' numbers from 1 to 3; got 1.5"),
        ("1,nan,3,2", "must hold workers' numbers from 1 to 3; got nan"),
        ("1,1,3,3", "must give every worker a sample; got none for worker 2"),
        ("who,1,2,3", "must hold workers' numbers; got could not convert"),
    ],
)
def test_assignments_that_cannot_be(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "who.csv"
    file.write_text(text)
    with pytest.raises(InvalidInput, match=said):
        dealt(Assignment(str(file)), np.zeros(4), 3)


def test_arrays_that_are_no_assignment(tmp_path: Path) -> None:
    for name, array in {"flat": np.ones((2, 2)), "text": np.array(["1", "1"])}.items():
        np.save(tmp_path / name, array)
        with pytest.raises(InvalidInput, match="one after another; got another array"):
            dealt(Assignment(str(tmp_path / f"{name}.npy")), np.zeros(2), 1)
    (tmp_path / "none.npy").write_bytes(b"nothing")
    with pytest.raises(InvalidInput, match="must hold workers' numbers; got"):
        dealt(Assignment(str(tmp_path / "none.npy")), np.zeros(2), 1)


def test_a_changed_assignment_is_another(tmp_path: Path) -> None:
    file = tmp_path / "who.csv"
    file.write_text("1,2")
    before = Assignment(str(file))
    file.write_text("2,1")
    assert Assignment(str(file)) != before
    with pytest.raises(InvalidInput, match="must be the file of SHA-256"):
        dealt(before, np.zeros(2), 2)


def test_a_run_on_an_assignment(tmp_path: Path) -> None:
    """As the partition that it writes down; resumed on that file only."""
    file = tmp_path / "who.npy"
    labels = load("digits").train_targets
    numbers = np.empty(len(labels), np.int64)
    for worker, part in enumerate(dealt(Iid(), labels, 4), start=1):
        numbers[part] = worker
    np.save(file, numbers)
    spec = Spec(data="digits", workers=4, partition=f"assignment:file={file}", rounds=5, eval_every=5)
    result = run(spec, tmp_path / "run")
    assert result.accuracy is not None
    assert result.accuracy > 0.5
    assert resume(tmp_path / "run").model.tobytes() == result.model.tobytes()
    np.save(file, numbers[::-1])
    SHARED.clear()
    with pytest.raises(InvalidInput, match="must be the file of SHA-256"):
        resume(tmp_path / "run")


def test_holdings_of_a_problem() -> None:
    data = load("digits")
    problem = Softmax.of(data, Similarity(0.0), workers=5)
    table = holdings(problem)
    assert table.classes.tolist() == list(range(10))
    assert table.counts.shape == (5, 10)
    assert table.counts.sum(axis=0).tolist() == np.bincount(data.train_targets).tolist()
    for worker, row in enumerate(table.counts, start=1):
        assert row.tolist() == np.bincount(problem.shards.of(worker)[1], minlength=10).tolist()


def test_feature_noise_grows_with_the_number_of_the_worker() -> None:
    """Features 0 and 2 deviate by 1; of 4 workers the noise deviates by 0.5, 1, 1.5 and 2, if the scale is 2."""
    features = np.tile([[0.0], [2.0]], (4000, 5))
    partition, generator = FeatureNoise(2.0), np.random.default_rng(1)
    parts = partition.deal(np.zeros(8000), 4, generator)
    noise = partition.seen(features, parts, generator) - features
    assert [float(noise[part].std()) for part in parts] == pytest.approx([0.5, 1.0, 1.5, 2.0], rel=0.03)
    assert abs(noise.mean()) < 0.03
    again = np.random.default_rng(1)
    assert [part.tolist() for part in Iid().deal(np.zeros(8000), 4, again)] == [part.tolist() for part in parts]


def test_workers_learn_from_what_they_see() -> None:
    clean, noisy = (
        run(Spec(data="digits", partition=FeatureNoise(scale), rounds=300, eval_every=300)) for scale in (0.0, 5.0)
    )
    assert clean.accuracy is not None
    assert noisy.accuracy is not None
    assert clean.accuracy > noisy.accuracy > 0.3
