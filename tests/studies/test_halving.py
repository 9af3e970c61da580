"""What is tried, and who stays: by hand."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf

import pytest

from holdfast.attacks import SignFlip
from holdfast.errors import InvalidInput
from holdfast.methods import Rsa, make_method
from holdfast.runs.auto import resolve_auto
from holdfast.runs.metrics import Evaluation
from holdfast.runs.plan import fill_defaults
from holdfast.runs.records import Record
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import require_number
from holdfast.studies.halving import Rung, candidates, halve, list_rounds
from holdfast.studies.tuning import Outcome, apply_winner, last_run
from own_problem import Own

BASE = Spec(data="digits", method="rsa", workers=5, rounds=90)


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
    assert found[-1].trials[0].value == 0.85


def test_among_equals_the_one_ahead_stays() -> None:
    found = climbed({30: {1: 0.5, 2: 0.5, 3: 0.9, 4: 0.5}, 90: {3: 0.7, 1: 0.7}}, rungs=2)
    assert [names(rung) for rung in found] == [[3, 1, 2, 4], [3, 1]]


def values(spec: Spec) -> tuple[float, float, float]:
    """Norm, lambda and alpha."""
    assert isinstance(spec.method, Rsa)
    return spec.method.norm, require_number(spec.method.penalty), require_number(spec.rate)


def test_nobody_wins_with_nothing() -> None:
    with pytest.raises(InvalidInput, match="needs a candidate that learns"):
        climbed({90: {1: 0.0, 2: 0.0}}, rungs=1)


def test_rounds_of_rungs() -> None:
    assert list_rounds(4, rungs=3) == [1, 1, 4]  # 4 // 9 = 0 would be no run
    assert list_rounds(7, rungs=1) == [7]


def test_the_grid_is_around_the_rule() -> None:
    tried = candidates(BASE, [1.0, 2.0], points=3)
    assert len(tried) == 2 * 3 * 3
    for place, norm in enumerate((1.0, 2.0)):
        rule = resolve_auto(fill_defaults(replace(BASE, method=Rsa(norm=norm, penalty="auto"), rate="auto")))
        assert tried[place] == rule
        penalties = sorted({values(spec)[1] for spec in tried if values(spec)[0] == norm})
        # three values, sqrt(10) = 3.1623 apart, to three digits
        assert penalties[1] == values(rule)[1]
        assert penalties[2] / penalties[1] == pytest.approx(3.1623, rel=0.01)
        assert penalties[1] / penalties[0] == pytest.approx(3.1623, rel=0.01)


def test_a_number_is_the_centre() -> None:
    tried = candidates(replace(BASE, method=Rsa(penalty=1.0), rate=0.01), [1.0], points=3)
    assert {values(spec)[1] for spec in tried} == {0.316, 1.0, 3.16}
    assert {spec.rate for spec in tried} == {0.00316, 0.01, 0.0316}
    assert values(tried[0]) == (1.0, 1.0, 0.01)


def test_rates_alone_where_there_is_no_penalty() -> None:
    tried = candidates(replace(BASE, method=make_method("median"), rate=1.0), [1.0], points=5)
    assert [spec.rate for spec in tried] == [1.0, 0.316, 3.16, 0.1, 10.0]


def test_the_winner_is_named_without_what_follows_from_it() -> None:
    method = Rsa(local_steps=2)
    asked = replace(BASE, method=method, byzantine=(2,), attack=SignFlip())
    won = candidates(replace(asked, rate=0.01), [2.0], points=1)[0]
    best = apply_winner(asked, won)
    assert (best.data, best.byzantine, best.rate) == ("digits", (2,), 0.01)
    assert best.method == replace(method, norm=2.0, penalty=values(won)[1])
    assert last_run(best).eval_every == best.rounds
    krum = make_method("krum")
    assert apply_winner(replace(asked, method=krum), replace(won, method=krum)).method is krum


@pytest.mark.parametrize(("method", "norms"), [("rsa", [1.0, inf]), ("median", [1.0])])
def test_an_outcome_is_strict_json(method: str, norms: list[float]) -> None:
    """The winner's alpha is the largest of three; a norm may be infinite, and a median has none."""
    base = replace(BASE, method=make_method(method))
    tried = candidates(replace(base, rate=1.0), norms, points=3)
    rungs = halve(tried, 1, lambda specs: {spec: record(spec, require_number(spec.rate) / 10) for spec in specs})
    best = apply_winner(base, rungs[-1].trials[0].spec)
    outcome = Outcome(best, tuple(tried[: len(norms)]), tuple(rungs), (9, 1), record(last_run(best), 0.5))
    told = json.loads(json.dumps(outcome.to_json("holdfast run"), allow_nan=False))
    assert told["best"]["rate"] == 3.16
    assert "alpha" in told["edges"]
    assert [each["norm"] for each in told["centres"]] == ([1.0, "inf"] if method == "rsa" else [None])
    assert len(outcome.farthest()) == len(tried)


def test_what_cannot_be_tuned_is_said_in_a_line() -> None:
    with pytest.raises(InvalidInput, match=r"tune holds data back and needs a problem made of them; got .*Own"):
        candidates(replace(BASE, problem=Own(), method=Rsa(penalty=1.0), rate=1.0), [1.0], points=1)
    made = replace(BASE, problem="own_problem:make", workers=2)
    assert len(candidates(made, [1.0], points=1)) == 1
    assert len(candidates(replace(made, method=Rsa(penalty=1.0), rate=1.0), [2.0], points=3)) == 9


def test_of_equal_scores_the_lower_loss_wins_and_near_ties_are_counted() -> None:
    losses = {1.0: 0.5, 2.0: 0.2, 3.0: 0.9, 4.0: 0.1}

    def gather(specs: Sequence[Spec]) -> dict[Spec, Record]:
        found = {}
        for spec in specs:
            rate = float(spec.rate or 0)
            last = Evaluation(
                round=1, accuracy=0.5 if rate == 4 else 0.9, loss=losses[rate], variance=0.0, distance=0.0
            )
            found[spec] = Record(spec, (last,), 1, None, None, 0.0, 0.0)
        return found

    tried = [replace(fill_defaults(BASE), rate=rate) for rate in losses]
    rungs = halve(tried, 1, gather)
    assert names(rungs[0]) == [2, 1, 3, 4]
    outcome = Outcome(tried[1], tuple(tried[:1]), tuple(rungs), (900, 100), record(tried[1], 0.8))
    assert outcome.standard_error == pytest.approx(0.03)  # sqrt(0.9 * 0.1 / 100)
    assert len(outcome.list_ties()) == 2


def test_a_regression_is_tuned_by_its_own_score() -> None:
    base = replace(fill_defaults(BASE), problem="least-squares")

    def gather(specs: Sequence[Spec]) -> dict[Spec, Record]:
        values = {spec: float(spec.rate or 0) for spec in specs}
        return {
            spec: replace(record(spec, 0.0), history=[Evaluation(1, None, 1.0, 0.0, 0.0, metrics={"r2": -value})])
            for spec, value in values.items()
        }

    (rung,) = halve([replace(base, rate=rate) for rate in (3.0, 1.0, 2.0)], 1, gather)
    assert names(rung) == [1, 2, 3]
    assert rung.trials[0].value == -1
