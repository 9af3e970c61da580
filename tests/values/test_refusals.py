"""What compiled code would not survive is refused before it."""

import numpy as np
import pytest

from holdfast import InvalidInput
from holdfast.problems import Shards, Softmax
from holdfast.problems.minibatches import Minibatches
from holdfast.typing import Vector


def problem(labels: list[int]) -> Softmax:
    shards = Shards.deal(np.ones((4, 2)), np.array(labels), [np.arange(2), np.arange(2, 4)])
    return Softmax(shards, outputs=3, batch=2, weight=1.0)


@pytest.mark.parametrize("labels", [[0, 1, 2, 3], [0, 1, 2, -1], [0, 1, 2, 10**9]])
def test_labels_outside_the_classes(labels: list[int]) -> None:
    with pytest.raises(InvalidInput, match="labels must be from 0 to 2"):
        problem(labels)


@pytest.mark.parametrize(
    ("workers", "message"), [([], "at least one worker"), ([0], "from 1 to 2"), ([3], "from 1 to 2")]
)
def test_workers_without_samples(workers: list[int], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        problem([0, 1, 2, 0]).oracle(np.array(workers, np.int64))


@pytest.mark.parametrize("master", [np.zeros(3, np.float32), np.zeros(9, np.float64)])
def test_a_master_unlike_the_workers(master: Vector) -> None:
    oracle: Minibatches = problem([0, 1, 2, 0]).oracle(np.array([1, 2]))
    with pytest.raises(InvalidInput, match="master's model must be like the workers'"):
        oracle.l1_step(np.zeros((2, 9), np.float32), master, 0.1, 0.1, 0)
