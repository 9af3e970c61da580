"""What is tried, and who stays: by hand."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from holdfast.errors import InvalidInput
from holdfast.experiments import Spec
from holdfast.experiments.automatic import settled
from holdfast.experiments.defaults import resolved
from holdfast.experiments.metrics import Evaluation
from holdfast.reproduction.records import Record
from holdfast.tuning import Rung, candidates, halve
from holdfast.tuning.halving import rounds_of

BASE = Spec(data="digits", workers=5, rounds=90)


def record(spec: Spec, accuracy: float) -> Record:
    last = Evaluation(round=spec.rounds, accuracy=accuracy, loss=1.0, variance=0.0, distance=0.0)
    return Record(spec, (last,), spec.rounds, None, None, 0.0, 0.0)


def climbed(by_rounds: Mapping[int, Mapping[float, float]], rungs: int) -> list[Rung]:
    """Halve candidates 1, 2, ..., told by their rate, with these accuracies after these rounds."""

    def gather(specs: Sequence[Spec]) -> dict[Spec, Record]:
        assert all(spec.eval_every == spec.rounds for spec in specs)
        return {spec: record(spec, by_rounds[spec.rounds][float(spec.rate or 0)]) for spec in specs}

    most = max(map(len, by_rounds.values()))
    return halve([replace(BASE, rate=float(name)) for name in range(1, most + 1)], rungs, gather)


def names(rung: Rung) -> list[float]:
    return [float(trial.spec.rate or 0) for trial in rung.trials]


def test_the_best_third_goes_on() -> None:
    found = climbed(
        {
            10: {1: 0.1, 2: 0.5, 3: 0.9, 4: 0.2, 5: 0.6, 6: 0.3, 7: 0.4},
            # a third of seven, rounded up: 3, 5 and 2; nobody asks for another
            30: {3: 0.6, 5: 0.8, 2: 0.7},
            90: {5: 0.85},
        },
        rungs=3,
    )
    assert [rung.rounds for rung in found] == [10, 30, 90]
    assert [names(rung) for rung in found] == [[3, 5, 2, 7, 6, 4, 1], [5, 2, 3], [5]]
    assert found[-1].trials[0].accuracy == 0.85


def test_among_equals_the_one_ahead_stays() -> None:
    found = climbed({30: {1: 0.5, 2: 0.5, 3: 0.9, 4: 0.5}, 90: {3: 0.7, 1: 0.7}}, rungs=2)
    assert [names(rung) for rung in found] == [[3, 1, 2, 4], [3, 1]]


def test_nobody_wins_with_nothing() -> None:
    with pytest.raises(InvalidInput, match="needs a candidate that learns"):
        climbed({90: {1: 0.0, 2: 0.0}}, rungs=1)


def test_rounds_of_rungs() -> None:
    assert rounds_of(4, rungs=3) == [1, 1, 4]  # 4 // 9 = 0 would be no run
    assert rounds_of(7, rungs=1) == [7]


def test_the_grid_is_around_the_rule() -> None:
    tried = candidates(BASE, [1.0, 2.0], points=3)
    assert len(tried) == 2 * 3 * 3
    for place, norm in enumerate((1.0, 2.0)):
        rule = settled(resolved(replace(BASE, norm=norm, penalty="auto", rate="auto")))
        assert tried[place] == rule
        penalties = sorted({float(spec.penalty or 0) for spec in tried if spec.norm == norm})
        # three values, sqrt(10) = 3.1623 apart, to three digits
        assert penalties[1] == rule.penalty
        assert penalties[2] / penalties[1] == pytest.approx(3.1623, rel=0.01)
        assert penalties[1] / penalties[0] == pytest.approx(3.1623, rel=0.01)


def test_a_number_is_the_centre() -> None:
    tried = candidates(replace(BASE, penalty=1.0, rate=0.01), [1.0], points=3)
    assert {spec.penalty for spec in tried} == {0.316, 1.0, 3.16}
    assert {spec.rate for spec in tried} == {0.00316, 0.01, 0.0316}
    assert (tried[0].penalty, tried[0].rate) == (1.0, 0.01)


def test_rates_alone_where_there_is_no_penalty() -> None:
    tried = candidates(replace(BASE, method="median", rate=1.0), [1.0], points=5)
    assert [spec.rate for spec in tried] == [1.0, 0.316, 3.16, 0.1, 10.0]
