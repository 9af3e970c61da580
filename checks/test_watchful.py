"""What docs/watchful.md promises about MNIST: 8 of 20 workers Byzantine, one method, one setting. About a minute."""

from dataclasses import replace

import pytest

from holdfast import Result, Spec
from holdfast.experiments.comparison import compare

ATTACKS = ("same-value", "sign-flip", "gaussian", "duplicate", "contrarian", "negative-sum")
PARTITIONS = {"iid": 0.90, "by-label": 0.55}
"""With what every attack must leave; by label .60 is possible."""
BASE = Spec(data="mnist", method="watchful-rsa", byzantine=8, rounds=1500, eval_every=1500)


@pytest.fixture(scope="module")
def results() -> dict[tuple[str, str], Result]:
    cells = [(partition, attack) for partition in PARTITIONS for attack in ATTACKS]
    found = compare([replace(BASE, partition=partition, attack=attack) for partition, attack in cells])
    return dict(zip(cells, found, strict=True))


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize(("partition", "least"), PARTITIONS.items())
def test_no_attack_breaks_it(results: dict[tuple[str, str], Result], partition: str, least: float, attack: str) -> None:
    result = results[partition, attack]
    print(partition, attack, result.accuracy, result.honest_left_out)
    assert result.accuracy is not None
    assert result.accuracy > least
    assert result.honest_left_out == 0
