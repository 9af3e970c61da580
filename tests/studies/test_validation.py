"""The samples that the master holds back, by hand: each sample is its own number."""

from pathlib import Path

import numpy as np
import pytest

from holdfast.data import ByLabel, Dataset, Iid, Partition, load
from holdfast.problems import LinearProblem
from holdfast.runs.plan import fill_defaults
from holdfast.runs.spec import Spec
from holdfast.runs.workbench import SHARED
from holdfast.studies.validation import hold_out, write

NUMBERS = np.arange(40.0)[:, np.newaxis]
LABELS = np.arange(40) % 2
DATA = Dataset("numbers", NUMBERS[:30], LABELS[:30], NUMBERS[30:], LABELS[30:])


def numbers(features: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[float]:
    return sorted(features.ravel().tolist())


@pytest.mark.parametrize("seed", range(5))
def test_every_training_sample_is_on_one_side(seed: int) -> None:
    split = hold_out(DATA, share=0.2, seed=seed)
    assert len(split.test_targets) == 6  # a fifth of 30
    assert numbers(np.concatenate([split.train_features, split.test_features])) == list(range(30))
    for features, labels in (
        (split.train_features, split.train_targets),
        (split.test_features, split.test_targets),
    ):
        assert (features.ravel() % 2 == labels).all()


def test_the_seed_decides() -> None:
    first, again, other = (hold_out(DATA, share=0.2, seed=seed) for seed in (0, 0, 1))
    assert first.digest() == again.digest() != other.digest()


@pytest.mark.parametrize("partition", [Iid(), ByLabel()], ids=str)
def test_workers_get_none_of_it(partition: Partition, tmp_path: Path) -> None:
    split, path = hold_out(DATA, share=0.2, seed=3), tmp_path / "validation.npz"
    write(split, path)
    assert load(str(path)).digest() == split.digest()
    built = SHARED.build(fill_defaults(Spec(data=str(path), partition=partition, workers=4, seed=3)))
    dataset, problem = built.dataset, built.problem
    assert dataset is not None
    assert isinstance(problem, LinearProblem)
    held, dealt = numbers(dataset.test_features), numbers(problem.shards.features)
    assert sorted(held + dealt) == list(range(30))
