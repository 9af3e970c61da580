"""Kernels take arrays as they come, never change them, and return new ones."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import twins
from numpy.typing import NDArray
from twins import assert_same, hostile, ordinary

from holdfast import kernels
from holdfast.errors import InvalidInput
from holdfast.kernels import loading, penalty_steps

Array = NDArray[Any]
F32, F64 = np.float32, np.float64


class Case(NamedTuple):
    """A kernel and arrays for it, which may come in any layout."""

    call: Callable[..., Array]
    arrays: tuple[Array, ...]


def rounds(features: Array, targets: Array, starts: Array, workers: Array, models: Array, master: Array) -> Array:
    dealt = kernels.Dealt(kernels.SOFTMAX, features, targets, starts, 1.0, 0.5)
    return kernels.worker_round(dealt, kernels.Draw(5, 3, 9), workers, models, (master, 0.1, 0.07))


DEALT = (
    ordinary(30, 7, F64),
    np.arange(30) % 3,
    np.array([0, 10, 20, 30]),
    np.array([2, 1, 3]),
)
COINS = np.random.default_rng(0).integers(0, 256, (5, kernels.bit_width(70)), dtype=np.uint8)

CASES = {
    "mean": Case(kernels.mean, (hostile(5, 70, F32),)),
    "combination": Case(kernels.combination, (np.array([0.5, 0, 0.25, 0.25, 0]), ordinary(5, 70, F32))),
    "sign_sum": Case(kernels.sign_sum, (hostile(1, 70, F32)[0], hostile(5, 70, F32))),
    "subgradients": Case(lambda rows: penalty_steps.subgradients(2, 0.07, rows), (hostile(5, 70, F32),)),
    "pull": Case(
        lambda model, rows: penalty_steps.pull(np.inf, 0.07, model, rows),
        (ordinary(1, 70, F32)[0], hostile(5, 70, F32)),
    ),
    "steps": Case(
        lambda models, master, gradients: penalty_steps.steps(2, 0.07, models, master, gradients, 0.1),
        (ordinary(5, 70, F32), ordinary(1, 70, F32)[0], ordinary(5, 70, F32, seed=1)),
    ),
    "mean_of_ranks, written out": Case(lambda rows: kernels.mean_of_ranks(rows, range(1, 4)), (hostile(5, 70, F32),)),
    "mean_of_ranks, tabled": Case(lambda rows: kernels.mean_of_ranks(rows, range(16, 17)), (hostile(33, 70, F32),)),
    "mixtures": Case(kernels.mixtures, (ordinary(3, 5, F64), ordinary(5, 70, F32))),
    "squared_distances": Case(kernels.squared_distances, (ordinary(5, 70, F32),)),
    "sampled_distances": Case(kernels.sampled_distances, (ordinary(5, 700, F32),)),
    "inner_products": Case(kernels.inner_products, (ordinary(5, 70, F32), ordinary(1, 70, F32)[0])),
    "below_every_row": Case(
        lambda G: kernels.below_every_row(G)[0], (twins.inner_products(ordinary(5, 3, F64), np.zeros(3)),)
    ),
    "weiszfeld": Case(
        lambda G, start: kernels.weiszfeld(G, start, 1e-7, 1000)[0],
        (twins.inner_products(ordinary(5, 3, F64), np.zeros(3)), np.full(5, 0.2)),
    ),
    "scores": Case(
        lambda features, model: kernels.scores(features, 0.5, model, 3), (DEALT[0], ordinary(1, 24, F64)[0])
    ),
    "losses": Case(
        lambda features, targets, model: kernels.losses(kernels.SOFTMAX, features, targets, 0.5, model, 3),
        (*DEALT[:2], ordinary(1, 24, F64)[0]),
    ),
    "pack_bits": Case(
        lambda model, rows: kernels.pack_bits(model, rows, COINS), (hostile(1, 70, F32)[0], hostile(5, 70, F32))
    ),
    "toss_bits": Case(
        lambda model, rows: kernels.toss_bits(model, rows, 7, np.arange(1, 6), 3),
        (hostile(1, 70, F32)[0], hostile(5, 70, F32)),
    ),
    "weigh_bits": Case(
        lambda messages, weights: kernels.weigh_bits(messages, weights, 70), (COINS, np.array([0.5, 0, 1, 0.25, 1]))
    ),
    "count_bits": Case(lambda messages: kernels.count_bits(messages, 70), (COINS,)),
    "worker_round": Case(
        lambda models, master: rounds(*DEALT, models, master), (ordinary(3, 24, F64), ordinary(1, 24, F64)[0])
    ),
}
every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def spread(array: Array) -> Array:
    """Every other one of an array twice as long in every direction."""
    for axis in range(array.ndim):
        array = np.repeat(array, 2, axis)
    return array[(slice(None, None, 2),) * array.ndim]


def backwards(array: Array) -> Array:
    """With negative strides."""
    flipped = np.flip(array).copy()
    return np.flip(flipped)


def read_only(array: Array) -> Array:
    array = array.copy()
    array.flags.writeable = False
    return array


LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "by columns": np.asfortranarray,
    "spread out": spread,
    "backwards": backwards,
    "read-only": read_only,
    "read-only and spread out": lambda array: np.broadcast_to(spread(array), array.shape),
}


@every_case
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_the_layout_does_not_matter(case: Case, layout: Callable[[Array], Array]) -> None:
    given = [layout(array) for array in case.arrays]
    assert_same(case.call(*given), case.call(*case.arrays))


def test_a_single_layout_is_compiled() -> None:
    """Rows are copied into it first, where they are not in it."""
    rows = ordinary(5, 70, F32)
    for layout in LAYOUTS.values():
        kernels.mean(layout(rows))
    compiled = [given[0] for given in loading.kernels("column_sums").mean.signatures]
    assert {(array.layout, array.mutable) for array in compiled} == {("C", True)}


@every_case
@pytest.mark.parametrize("layout", [np.copy, spread], ids=["plain", "spread out"])
def test_nothing_given_is_changed_or_returned(case: Case, layout: Callable[[Array], Array]) -> None:
    given = [layout(array) for array in case.arrays]
    result = case.call(*given)
    for array, before in zip(given, case.arrays, strict=True):
        assert array.tobytes() == before.tobytes()
        assert not np.shares_memory(result, array)
    again = case.call(*case.arrays)
    result[...] = 0
    assert_same(case.call(*case.arrays), again)


def test_samples_workers_and_coins_may_be_strided_and_read_only() -> None:
    """Not all of these are brought into one layout first: a layout of theirs is compiled when it is met."""
    odd = LAYOUTS["read-only and spread out"]
    models, master = CASES["worker_round"].arrays
    features, targets, starts, workers = DEALT
    strange = rounds(odd(features), odd(targets), odd(starts), odd(workers), models, master)
    assert_same(strange, rounds(*DEALT, models, master))
    model, rows = CASES["pack_bits"].arrays
    assert_same(kernels.pack_bits(model, rows, odd(COINS)), kernels.pack_bits(model, rows, COINS))
    assert_same(kernels.normals(5, odd(workers), 3, 7), kernels.normals(5, workers, 3, 7))


def test_vectors_that_are_not_like_the_rows_are_refused() -> None:
    """Compiled code would read past the end of the shorter, or be compiled for every mixture of types."""
    rows, coins = ordinary(5, 70, F32), COINS
    for call in (
        kernels.sign_sum,
        lambda model, rows: kernels.inner_products(rows, model),
        lambda model, rows: kernels.pack_bits(model, rows, coins),
    ):
        for model in (np.zeros(69, F32), np.zeros(71, F32), np.zeros(70, F64)):
            with pytest.raises(InvalidInput, match=r"must be like the model, .*; got \(70,\) of float32"):
                call(model, rows)
    with pytest.raises(InvalidInput, match=r"coins must have shape \(5, 16\); got \(5, 8\)"):
        kernels.pack_bits(rows[0], rows, coins[:, :8])


def test_numbers_that_are_not_aligned() -> None:
    """As they stand in a buffer after a header of one byte."""
    rows = ordinary(5, 70, F64)
    shifted = np.frombuffer(bytearray(b"?" + rows.tobytes()), F64, offset=1).reshape(rows.shape)
    assert not shifted.flags.aligned
    assert_same(kernels.mean(shifted), kernels.mean(rows))
