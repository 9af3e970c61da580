"""The search finds a known optimum, says what it tried, and chooses by one rule."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from math import log10
from pathlib import Path

import pytest

from holdfast.errors import InvalidInput
from holdfast.runs.metrics import Evaluation
from holdfast.runs.records import Record
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import require_number
from holdfast.studies.paper.figures import Figure, figure
from holdfast.studies.paper.rate_search import GRID, SEEDS, search
from holdfast.studies.paper.rates import Rates, describe_setting, load_rates
from holdfast.studies.store import Store
from holdfast.studies.study import Study

EMPTY = replace(load_rates(), settings={})


def known(accuracy: Callable[[Spec], float | None]) -> Callable[[Sequence[Spec]], Mapping[Spec, Record]]:
    """Answer for runs by a formula; None is a run that diverged."""

    def record(spec: Spec) -> Record:
        value = accuracy(spec)
        history = (Evaluation(spec.rounds, value, 0.0, 0.0, 0.0),)
        return Record(spec, history, spec.rounds, 3 if value is None else None, 1.0, 1.0, 0.0)

    return lambda specs: {spec: record(spec) for spec in specs}


def peak(at: float) -> Callable[[Spec], float | None]:
    """One peak on a logarithmic axis; too large a step diverges."""

    def accuracy(spec: Spec) -> float | None:
        rate = require_number(spec.rate)
        return None if rate > 30 * at else 0.9 - 0.1 * abs(log10(rate / at))

    return accuracy


@pytest.mark.parametrize("best", [GRID[1], 5e-06, 1e-4, 0.002, GRID[-2]])
def test_a_peak_is_found_wherever_it_is(best: float) -> None:
    found = search([figure("gaussian", None)], EMPTY, known(peak(best)))
    assert {searched.rate for searched in found.settings.values()} == {best}
    for searched in found.settings.values():
        tried = [trial.rate for trial in searched.fine]
        assert tried == sorted(tried)
        assert tried[0] < best < tried[-1], "the best is not the last one tried on either side"
        assert all(len(trial.accuracies) == len(SEEDS) for trial in searched.fine)


def test_the_peak_of_the_full_rounds_counts() -> None:
    """With few rounds the best rate is 100 times larger; the search walks back."""
    found = search(
        [figure("lambda", None)], EMPTY, known(lambda spec: peak(1e-4 if spec.rounds == 5000 else 1e-2)(spec))
    )
    assert {searched.rate for searched in found.settings.values()} == {1e-4}


@pytest.mark.parametrize(("below", "rate"), [(0.0004, 1e-4), (0.0006, 2e-4)])
def test_ties_go_to_the_smaller_rate(below: float, rate: float) -> None:
    """Accuracies around the best at 2e-4; at 1e-4 a little less. Less than 0.0005 is a tie."""

    def accuracy(spec: Spec) -> float | None:
        by_rate = {5e-05: 0.8, 1e-4: 0.9 - below, 2e-4: 0.9, 5e-4: 0.8}
        return by_rate.get(require_number(spec.rate), 0.1) + (0.01 if spec.seed == SEEDS[0] else -0.01)

    found = search([figure("lambda", None)], EMPTY, known(accuracy))
    assert {searched.rate for searched in found.settings.values()} == {rate}


def test_where_the_step_size_does_not_matter_the_smallest_decade_is_taken_at_once() -> None:
    found = search([figure("lambda", None)], EMPTY, known(lambda spec: 0.1 + require_number(spec.rate) / 100))
    assert {(searched.rate, searched.fine) for searched in found.settings.values()} == {(1e-6, ())}


def test_ideal_sgd_is_searched_once_for_all_iid_panels() -> None:
    asked: list[Spec] = []

    def watched(specs: Sequence[Spec]) -> Mapping[Spec, Record]:
        asked.extend(specs)
        return known(peak(1e-4))(specs)

    found = search([figure(name, None) for name in ("same-value", "gaussian", "runtime")], EMPTY, watched)
    assert len(found.settings) == 1 + 4 * 4
    assert len(asked) == len(set(asked)), "no run is asked for twice"
    assert {spec.rounds for spec in asked} == {5000, 1000}


def test_other_settings_stay_as_they_were() -> None:
    before = load_rates()
    found = search([figure("lambda", None)], before, known(peak(0.05)))
    key = "iid, no attack, krum"
    assert found.settings[key] == before.settings[key]
    assert list(found.settings) == list(before.settings)


@pytest.mark.parametrize("name", ["norms", "runtime"])
def test_a_figure_without_tuned_steps_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="a search needs a figure whose step sizes are tuned"):
        search([figure(name, None)], EMPTY, known(peak(1)))


def small(name: str, labels: Sequence[str]) -> Figure:
    """Return one panel of a figure, with few curves and rounds."""
    whole = figure(name, None, data="digits", rounds=20)
    panel = whole.panels[-1]
    return replace(whole, panels=(replace(panel, curves=tuple(c for c in panel.curves if c.label in labels)),))


def test_a_real_search_is_stored_and_reads_back(tmp_path: Path) -> None:
    runs: list[bool] = []
    store = Store(tmp_path, print, lambda _: "digits")
    study = Study(1, store, telling=lambda _: nullcontext(lambda _, new: runs.append(new)))

    each = small("sign-flipping", ["Krum"])
    found = search([each], EMPTY, study.record)
    assert Rates.of_toml(found.to_toml()) == found
    (searched,) = found.settings.values()
    assert searched.rate in {trial.rate for trial in searched.fine}
    assert max(trial.mean for trial in searched.fine) > 0.5, "20 rounds teach something at the best rate"
    assert all(runs)
    assert describe_setting(next(each.curves()).spec) == "iid, sign-flip:factor=-4, q=8, krum"

    before = len(runs)
    assert search([each], EMPTY, study.record) == found
    assert not any(runs[before:]), "what was tried is not tried again"
