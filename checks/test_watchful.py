"""What docs/watchful.md promises of one method with one setting: 8 of 20 workers Byzantine on MNIST; nobody on three
data sets. About two minutes."""

from dataclasses import replace

import pytest

from holdfast import Result, Spec
from holdfast.studies.comparison import compare

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
    assert result.honest_left_out is not None
    assert result.honest_left_out < 0.001


@pytest.mark.parametrize("partition", ["iid", "dirichlet:alpha=0.5", "dirichlet:alpha=0.1", "by-label"])
@pytest.mark.parametrize("data", ["digits", "mnist", "fashion-mnist"])
def test_where_nobody_lies_nobody_is_left_out(data: str, partition: str) -> None:
    spec = Spec(data=data, method="watchful-rsa", partition=partition, rounds=500, eval_every=500)
    for result in compare([replace(spec, seed=seed) for seed in range(3)]):
        assert result.honest_left_out is not None
        assert result.honest_left_out < 0.001
