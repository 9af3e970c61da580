"""What docs/automatic.md promises: one rule for lambda and alpha, near the paper's tuning in all its settings."""

import pytest

from automatic import PAPER, SEEDS, accuracy, against_the_paper
from holdfast import Result


@pytest.fixture(scope="module")
def pairs() -> dict[str, tuple[list[Result], list[Result]]]:
    return against_the_paper()


@pytest.mark.parametrize("setting", PAPER)
def test_the_rule_ends_near_the_papers_tuning(
    pairs: dict[str, tuple[list[Result], list[Result]]], setting: str
) -> None:
    tuned, ours = ([accuracy(result) for result in results] for results in pairs[setting])
    print(setting, "by hand", tuned, "by rule", ours)
    assert sum(ours) / len(SEEDS) > sum(tuned) / len(SEEDS) - 0.01
