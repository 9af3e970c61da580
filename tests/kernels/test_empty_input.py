"""Every kernel refuses arrays without rows or without columns: compiled code would read what is not there."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from holdfast import kernels
from holdfast.errors import InvalidInput
from holdfast.kernels import penalty_steps

NOT_ON_ARRAYS = {"Dealt", "Draw", "bit_width", "set_threads", "threads", "module", "moves"}
CALLS_OF_KERNELS = {"fill", "matching", "nonzero_weights", "plain"}
WORKERS = np.arange(1, 4)
STARTS = np.array([0, 2, 4, 6])

Call = Callable[[int, int], Any]
"""With n rows of d columns."""


def rows(n: int, d: int) -> Any:
    return np.ones((n, d), np.float32)


def workers_of(n: int) -> Any:
    return np.arange(1, n + 1)


def dealt(d: int, **changed: Any) -> kernels.Dealt:
    """Three workers with two samples each."""
    given = {"features": rows(6, d), "targets": np.zeros(6, np.int64), "starts": STARTS, "scale": 1.0, "weight": 1.0}
    return kernels.Dealt(kernels.SOFTMAX, **given | changed)


def models(n: int, d: int) -> Any:
    return rows(max(n, 1), 2 * (d + 1))


def gradients(n: int, d: int, workers: Any = None, batch: int = 2, **changed: Any) -> Any:
    chosen = workers_of(n) if workers is None else workers
    return kernels.worker_round(dealt(d, **changed), kernels.Draw(1, 0, batch), chosen, models(n, d))


def saga(n: int, d: int, **changed: Any) -> Any:
    kept = {"tables": rows(n, 4), "averages": rows(n, 2 * (d + 1))}
    return kernels.saga_round(dealt(d), kernels.Draw(1, 0, 2), workers_of(n), models(n, d), **kept | changed)


CALLS: dict[str, Call] = {
    "below_every_row": lambda n, d: kernels.below_every_row(np.ones((n, d))),
    "combination": lambda n, d: kernels.combination(np.ones(n), rows(n, d)),
    "count_bits": lambda n, d: kernels.count_bits(np.ones((n, kernels.bit_width(d)), np.uint8), d),
    "differing_bits": lambda n, d: kernels.differing_bits(np.ones((n, d), np.uint64), np.ones((n, d), np.uint64)),
    "full_round": lambda n, d: kernels.full_round(dealt(d), workers_of(n), models(n, d)),
    "inner_products": lambda n, d: kernels.inner_products(rows(n, d), np.ones(d, np.float32)),
    "largest_crowd": lambda n, d: kernels.largest_crowd(np.ones((n, d)), 1.0),
    "least_diameter": lambda n, d: kernels.least_diameter(np.ones((n, n)), 1),
    "least_eigenvalue": lambda n, d: kernels.least_eigenvalue(np.ones((n, n)), 1),
    "lengths": lambda n, d: kernels.lengths(rows(n, d)),
    "losses": lambda n, d: kernels.losses(0, rows(n, d), np.zeros(n, np.int64), 1.0, np.ones(2 * d + 2), 2),
    "mean": lambda n, d: kernels.mean(rows(n, d)),
    "mean_nearest": lambda n, d: kernels.mean_nearest(rows(n, d), np.arange(n), range(1), 1),
    "mean_of_ranks": lambda n, d: kernels.mean_of_ranks(rows(n, d), range(1)),
    "mixtures": lambda n, d: kernels.mixtures(np.ones((2, n)), rows(n, d)),
    "normals": lambda n, d: kernels.normals(1, workers_of(n), 0, d),
    "pack_bits": lambda n, d: kernels.pack_bits(
        np.ones(d, np.float32), rows(n, d), np.ones((n, kernels.bit_width(d)), np.uint8)
    ),
    "saga_round": saga,
    "sampled_distances": lambda n, d: kernels.sampled_distances(rows(n, d)),
    "scores": lambda n, d: kernels.scores(rows(n, d), 1.0, np.ones(2 * d + 2, np.float32), 2),
    "sign_sum": lambda n, d: kernels.sign_sum(np.ones(d, np.float32), rows(n, d)),
    "squared_distances": lambda n, d: kernels.squared_distances(rows(n, d)),
    "toss_bits": lambda n, d: kernels.toss_bits(np.ones(d, np.float32), rows(n, d), 1, workers_of(n), 0),
    "weigh_bits": lambda n, d: kernels.weigh_bits(np.ones((n, kernels.bit_width(d)), np.uint8), np.ones(n), d),
    "weiszfeld": lambda n, d: kernels.weiszfeld(np.ones((n, n)), np.ones(n), 1e-8, 10),
    "worker_round": gradients,
    "penalty_steps.pull": lambda n, d: penalty_steps.pull(2.0, 1.0, np.ones(d, np.float32), rows(n, d)),
    "penalty_steps.steps": lambda n, d: penalty_steps.steps(
        2.0, 1.0, rows(n, d), np.ones(d, np.float32), rows(n, d), 0.1
    ),
    "penalty_steps.subgradients": lambda n, d: penalty_steps.subgradients(np.inf, 1.0, rows(n, d)),
}
SQUARE = {"least_diameter", "least_eigenvalue", "weiszfeld"}
"""Whose arrays have as many columns as rows."""


def test_all_kernels_are_tried() -> None:
    functions = {name for name, member in vars(kernels).items() if callable(member) and not name.startswith("_")}
    ours = {name for name in functions if vars(kernels)[name].__module__.startswith("holdfast.kernels")}
    assert {name for name in CALLS if "." not in name} == ours - NOT_ON_ARRAYS - CALLS_OF_KERNELS


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(("n", "d"), [(0, 3), (3, 0), (0, 0)])
def test_no_kernel_takes_nothing(name: str, n: int, d: int) -> None:
    if name in SQUARE and n:
        pytest.skip("has no columns of its own")
    with pytest.raises(InvalidInput, match="at least one row and one column; got an array of shape"):
        CALLS[name](n, d)


@pytest.mark.parametrize("name", ["mean", "worker_round", "normals"])
def test_they_do_take_one_row_of_one_column(name: str) -> None:
    """The refusals above are about what is missing, not about how it was called."""
    assert len(CALLS[name](1, 1)) == 1


@pytest.mark.parametrize("wanted", [range(0), range(-1, 1), range(2, 4)])
def test_ranks_that_no_row_has_are_refused(wanted: range) -> None:
    with pytest.raises(InvalidInput, match="ranks must be some of 0 to 2; got range"):
        kernels.mean_of_ranks(rows(3, 2), wanted)


@pytest.mark.parametrize(
    ("chosen", "middle", "nearest"),
    [([], range(1), 1), ([3], range(1), 1), ([-1], range(1), 1), ([0, 1], range(1, 3), 1), ([0, 1], range(1), 3)],
)
def test_so_are_rows_and_ranks_that_do_not_exist(chosen: list[int], middle: range, nearest: int) -> None:
    with pytest.raises(InvalidInput, match="must be some of 0 to"):
        kernels.mean_nearest(rows(3, 2), np.array(chosen, np.int64), middle, nearest)


@pytest.mark.parametrize("search", [kernels.least_diameter, kernels.least_eigenvalue])
@pytest.mark.parametrize(("shape", "size"), [((3, 3), 0), ((3, 3), 4), ((3, 2), 1)])
def test_so_are_subsets_that_do_not_exist(search: Any, shape: tuple[int, int], size: int) -> None:
    with pytest.raises(InvalidInput, match="a search needs n x n numbers and 1 to n of the rows; got"):
        search(np.ones(shape), size)


@pytest.mark.parametrize(("worker", "starts"), [(0, STARTS), (4, STARTS), (-1, STARTS), (2, np.array([0, 3, 3, 6]))])
def test_so_are_workers_without_samples(worker: int, starts: Any) -> None:
    with pytest.raises(InvalidInput, match=f"at least one sample; got none for worker {worker}"):
        gradients(1, 3, workers=np.array([worker]), starts=starts)


def test_so_are_minibatches_without_samples() -> None:
    with pytest.raises(InvalidInput, match="a minibatch needs at least one sample; got 0"):
        gradients(3, 3, batch=0)


def test_so_are_samples_without_targets() -> None:
    with pytest.raises(InvalidInput, match="samples need one target each; got 6 samples and 5 targets"):
        gradients(3, 3, targets=np.zeros(5, np.int64))


@pytest.mark.parametrize("changed", [{"tables": rows(3, 3)}, {"tables": rows(2, 4)}, {"averages": rows(3, 7)}])
def test_so_are_tables_that_are_too_small(changed: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="a table must have a row of at least 4 numbers per worker; got"):
        saga(3, 3, **changed)
