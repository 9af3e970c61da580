"""Threads: how many, who gets what, and the same bits for any number of them."""

import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from threading import current_thread, main_thread
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from twins import assert_same, hostile, ordinary

from holdfast import kernels
from holdfast.errors import InvalidInput
from holdfast.kernels import calls, penalty_steps
from holdfast.kernels.calls import LARGE, set_threads, share, threads
from holdfast.kernels.row_pairs import SPAN


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "_chosen", None)
    monkeypatch.delenv("HOLDFAST_THREADS", raising=False)


@pytest.fixture
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "LARGE", 1)


KERNELS: dict[str, Callable[[int, type], NDArray[Any]]] = {
    "mean": lambda d, dtype: kernels.mean(hostile(9, d, dtype)),
    "combination": lambda d, dtype: kernels.combination(np.arange(9.0) - 3, ordinary(9, d, dtype)),
    "sign_sum": lambda d, dtype: kernels.sign_sum(ordinary(1, d, dtype)[0], hostile(9, d, dtype)),
    "subgradients": lambda d, dtype: penalty_steps.subgradients(2, 0.07, hostile(9, d, dtype)),
    "pull": lambda d, dtype: penalty_steps.pull(2, 0.07, ordinary(1, d, dtype)[0], ordinary(9, d, dtype)),
    "steps": lambda d, dtype: penalty_steps.steps(
        np.inf, 0.07, ordinary(9, d, dtype), ordinary(1, d, dtype)[0], ordinary(9, d, dtype, seed=1), 0.1
    ),
    "mean_of_ranks, written out": lambda d, dtype: kernels.mean_of_ranks(hostile(5, d, dtype), range(1, 4)),
    "mean_of_ranks, tabled": lambda d, dtype: kernels.mean_of_ranks(hostile(33, d, dtype), range(16, 17)),
    "squared_distances": lambda d, dtype: kernels.squared_distances(ordinary(5, d, dtype)),
    "sampled_distances": lambda d, dtype: kernels.sampled_distances(ordinary(5, d, dtype)),
    "inner_products": lambda d, dtype: kernels.inner_products(ordinary(5, d, dtype), ordinary(1, d, dtype)[0]),
    "losses": lambda d, dtype: kernels.losses(
        kernels.SOFTMAX, ordinary(d, 7, dtype), np.arange(d) % 3, 0.5, ordinary(1, 24, dtype)[0], 3
    ),
    "scores": lambda d, dtype: kernels.scores(ordinary(d, 7, dtype), 0.5, ordinary(1, 24, dtype)[0], 3),
}


@pytest.mark.usefixtures("everything_is_large")
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_number_of_threads_gives_the_same_bits(kernel: Callable[[int, type], NDArray[Any]], dtype: type) -> None:
    for d in (1, 65, 200, 5003, 2 * SPAN + 77):
        set_threads(1)
        alone = kernel(d, dtype)
        for number in (2, 3):
            set_threads(number)
            assert_same(kernel(d, dtype), alone, (d, number))


def spans(items: int, numbers: int, **options: int) -> tuple[list[tuple[int, int]], set[str]]:
    """What `share` gives out, and the names of the threads that got it."""
    given, names = [], set()

    def work(first: int, last: int) -> None:
        given.append((first, last))
        names.add(current_thread().name)

    share(work, items, numbers, **options)
    return sorted(given), names


@pytest.mark.parametrize("number", [2, 3, 7])
@pytest.mark.parametrize("grain", [1, 64])
@pytest.mark.parametrize("items", [1, 5, 63, 64, 65, 200, 1000])
def test_spans_cover_everything_once(items: int, grain: int, number: int) -> None:
    set_threads(number)
    given, names = spans(items, LARGE, grain=grain)
    assert len(given) == number
    assert (given[0][0], given[-1][1]) == (0, items)
    assert all(one[1] == other[0] for one, other in pairwise(given))
    assert all(first % grain == 0 for first, _ in given)
    assert all(name.startswith("holdfast") for name in names)


def test_large_inputs_are_shared_evenly() -> None:
    set_threads(4)
    assert spans(1024, LARGE)[0] == [(0, 256), (256, 512), (512, 768), (768, 1024)]


def test_small_inputs_and_single_threads_stay_where_they_are() -> None:
    set_threads(3)
    assert spans(1000, LARGE - 1) == ([(0, 1000)], {main_thread().name})
    set_threads(1)
    assert spans(1000, LARGE) == ([(0, 1000)], {main_thread().name})


def test_what_goes_wrong_in_a_thread_is_heard_of() -> None:
    def fail(first: int, last: int) -> None:
        if first:
            raise ArithmeticError("in the second half")

    set_threads(2)
    with pytest.raises(ArithmeticError, match="second half"):
        share(fail, 1000, LARGE)


def test_one_thread_a_core_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 12)
    assert threads() == 12
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert threads() == 1
    monkeypatch.setenv("HOLDFAST_THREADS", "5")
    assert threads() == 5
    monkeypatch.setenv("HOLDFAST_THREADS", "")
    assert threads() == 1


def test_what_is_set_in_the_program_counts_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_THREADS", "5")
    set_threads(2)
    assert threads() == 2


@pytest.mark.parametrize("given", ["0", "-1", "1.5", "two", " ", "1e3"])
def test_variables_that_cannot_be(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("HOLDFAST_THREADS", given)
    with pytest.raises(InvalidInput, match=f"HOLDFAST_THREADS must be a whole number of at least 1; got '{given}'"):
        threads()


@pytest.mark.parametrize("number", [0, -1])
def test_settings_that_cannot_be(number: int) -> None:
    set_threads(2)
    with pytest.raises(InvalidInput, match=f"threads must be at least 1; got {number}"):
        set_threads(number)
    assert threads() == 2


FORKING = """
import os, warnings
import numpy as np
from holdfast import kernels
from holdfast.kernels import penalty_steps
from holdfast.kernels import calls
from holdfast.kernels.row_pairs import SPAN

calls.LARGE = 1
kernels.set_threads(2)
rows = np.arange(256.0).reshape(2, 128)
kernels.mean(rows)
warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads, which is what is tried here
child = os.fork()
if child == 0:
    os._exit(0 if np.array_equal(kernels.mean(rows), rows.mean(axis=0)) else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_process_may_fork_after_its_threads_were_used() -> None:
    ran = subprocess.run([sys.executable, "-c", FORKING], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout == "0\n"
