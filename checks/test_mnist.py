"""What the README and docs promise about MNIST: 5000 rounds, the paper's settings, three seeds.

Minutes, not seconds; so it runs by `make check` and in CI, apart from the tests.
"""

from dataclasses import replace

import numpy as np
import pytest

from holdfast import Result, Spec
from holdfast.insight.theorems import find_guarantees
from holdfast.methods import Rsa
from holdfast.studies.comparison import compare

SEEDS = (0, 1, 2)
UNDER_8 = Spec(method="rsa:norm=1,penalty=0.07", byzantine=8, attack="same-value", rate=0.001)
BY_LABEL = replace(UNDER_8, method="rsa:norm=1,penalty=0.5", attack="duplicate", partition="by-label", rate=0.0005)

SETTINGS = {
    "no attack": Spec(method="rsa:norm=1,penalty=0.1", rate=0.003),
    "same-value": UNDER_8,
    "same-value, in bits": replace(UNDER_8, method="rsa:norm=1,penalty=0.07,messages=bits"),
    "gaussian": replace(UNDER_8, attack="gaussian", rate=0.002),
    "contrarian": replace(UNDER_8, attack="contrarian"),
    "by label, duplicate, q = 4": replace(BY_LABEL, byzantine=4),
    "by label, duplicate, q = 8": BY_LABEL,
    "SGD, sign flips": replace(UNDER_8, method="sgd", attack="sign-flip", rate=0.0001),
}


@pytest.fixture(scope="module")
def accuracies() -> dict[str, list[float]]:
    specs = [replace(spec, seed=seed, eval_every=1000) for spec in SETTINGS.values() for seed in SEEDS]
    found = iter(compare(specs))
    return {name: [_accuracy(next(found)) for _ in SEEDS] for name in SETTINGS}


def _accuracy(result: Result) -> float:
    assert result.accuracy is not None, result
    return result.accuracy


@pytest.mark.parametrize(
    ("setting", "least"),
    [
        ("no attack", 0.915),
        ("same-value", 0.912),
        ("same-value, in bits", 0.912),
        ("gaussian", 0.914),
        ("by label, duplicate, q = 4", 0.70),
        ("by label, duplicate, q = 8", 0.53),
    ],
)
def test_rsa_ends_above_in_every_seed(accuracies: dict[str, list[float]], setting: str, least: float) -> None:
    print(setting, accuracies[setting])
    assert min(accuracies[setting]) > least


def test_rsa_against_the_strongest_vote(accuracies: dict[str, list[float]]) -> None:
    """Seeds differ by 0.004 here, around 0.911; so the mean of them is what is promised."""
    print(accuracies["contrarian"])
    assert sum(accuracies["contrarian"]) / len(SEEDS) > 0.91
    assert min(accuracies["contrarian"]) > 0.90


def test_plain_averaging_falls_to_sign_flips(accuracies: dict[str, list[float]]) -> None:
    assert max(accuracies["SGD, sign flips"]) < 0.3


@pytest.mark.parametrize(
    ("norm", "partition", "largest", "median"),
    [(1, "iid", 0.066, 0.045), (2, "iid", 0.79, 0.62), (1, "by-label", 1.47, 0.80)],
)
def test_lambda_0(norm: float, partition: str, largest: float, median: float) -> None:
    """Far from exact optima: 42 gradients; 150 gradients gave the numbers here."""
    found = find_guarantees(Spec(method=Rsa(norm=norm), partition=partition))
    assert found.lambda0 == pytest.approx(largest, rel=0.05)
    assert float(np.median(found.lambda0_per_worker)) == pytest.approx(median, rel=0.05)
