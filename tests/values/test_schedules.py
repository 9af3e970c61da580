"""Step sizes by hand: `schedule(k)` is alpha^{k+1}."""

from math import inf, nan

import pytest

from holdfast.errors import InvalidInput
from holdfast.methods.schedules import REGISTRY, schedule


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("inverse-sqrt", {0: 0.6, 3: 0.6 / 2, 8: 0.6 / 3, 9999: 0.6 / 100}),
        ("inverse", {0: 0.6, 1: 0.6 / 2, 2: 0.6 / 3, 9999: 0.6 / 10_000}),
        ("constant", {0: 0.6, 1: 0.6, 9999: 0.6}),
        ("constant-then-linear", {0: 0.6, 5000: 0.6, 7500: 0.3, 9999: 0.6 / 5000}),
        ("cosine", {0: 0.6, 5000: 0.3, 2500: 0.3 + 0.15 * 2**0.5, 10_000: 0.0}),
    ],
)
def test_step_sizes(name: str, sizes: dict[int, float]) -> None:
    assert {round: schedule(name, 0.6, 10_000)(round) for round in sizes} == pytest.approx(sizes, rel=1e-14)


@pytest.mark.parametrize("rate", [0.0, -1.0, inf, nan])
@pytest.mark.parametrize("name", REGISTRY)
def test_rates_that_cannot_be(name: str, rate: float) -> None:
    with pytest.raises(InvalidInput, match=f"positive and finite; got {rate}"):
        schedule(name, rate, 100)
