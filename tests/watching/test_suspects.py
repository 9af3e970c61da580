"""Who is suspected, and who is not: short runs, absent workers, and what `inspect` says of both."""

from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from holdfast.engines import Participation
from holdfast.insight.inspection import inspect, list_individuals, list_suspicions
from holdfast.report.worker_table import count_suspects, look, remarks
from holdfast.runs.metrics import Evaluation
from holdfast.runs.records import Result
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.watching.suspicion import (
    LEAST_EVALUATIONS,
    MANY_EVALUATIONS,
    SUSPICION_THRESHOLD,
    find_suspects,
    mean_disagreement,
    suspicion,
)

SHORT = Spec(data="digits", rounds=9, eval_every=1)
PARTIAL = Spec(data="digits", workers=10, rounds=200, eval_every=10, participation=0.5)
SETTINGS = list(
    product(
        ["rsa", "median"],
        ["iid", "by-label", "dirichlet:alpha=0.1"],
        [1, 10],
    )
)


@cache
def honest_histories() -> list[list[Evaluation]]:
    """Return runs of nine evaluations in which everybody is honest: 5 seeds of 12 settings."""
    specs = [
        Spec(
            data="digits",
            method=method,
            partition=partition,
            rounds=9 * every,
            eval_every=every,
            seed=seed,
        )
        for method, partition, every in SETTINGS
        for seed in range(5)
    ]
    return [run(spec).history for spec in specs]


def accused(history: list[Evaluation]) -> list[int]:
    return [i for i, each in enumerate(list_suspicions(history), start=1) if each is not None and each.suspected]


def test_a_short_run_of_honest_workers_names_no_suspect() -> None:
    """The score alone would name one in some of them."""
    by_score = 0
    for evaluations in range(1, 10):
        shortened = [history[:evaluations] for history in honest_histories()]
        scores = [suspicion([e.disagreement or [] for e in each]) for each in shortened]
        by_score += sum(bool((each > SUSPICION_THRESHOLD).any()) for each in scores)
        named = sum(bool(accused(each)) for each in shortened)
        assert named == 0, f"{named} of {len(shortened)} runs, {evaluations} evaluations"
    assert by_score, "chance alone scores high, else this shows nothing"


def test_few_copies_are_named_in_a_short_run_of_honest_workers() -> None:
    named = [any(each is not None and each.copied for each in list_suspicions(h)) for h in honest_histories()]
    assert sum(named) == 0


@pytest.mark.parametrize("evaluations", [LEAST_EVALUATIONS, MANY_EVALUATIONS - 1, MANY_EVALUATIONS])
@pytest.mark.parametrize("method", ["rsa", "median"])
def test_workers_that_flip_signs_are_found_in_short_runs_too(evaluations: int, method: str) -> None:
    partition = "iid" if method == "rsa" else "by-label"
    spec = Spec(data="digits", method=method, partition=partition, byzantine=(3, 8, 11, 17), attack="sign-flip")
    result = run(replace(spec, rounds=20 * evaluations, eval_every=20))
    assert len(result.history) == evaluations
    assert accused(result.history) == [3, 8, 11, 17]


def test_the_rule_by_hand() -> None:
    """Four at 0.2, one at 0.3: 5 robust deviations of 0.02. At most of few evaluations it must be so alone.

    Once at 0.7 and else at 0.21, the mean is as high, but the median over the evaluations is 1.
    """
    steady, once = [0.2, 0.2, 0.2, 0.2, 0.3], [[0.2] * 4 + [0.21]] * (LEAST_EVALUATIONS - 1) + [[0.2] * 4 + [0.7]]
    assert find_suspects([steady] * LEAST_EVALUATIONS).tolist() == [False] * 4 + [True]
    assert find_suspects([steady] * (LEAST_EVALUATIONS - 1)).tolist() == [False] * 5
    assert suspicion(once)[4] == pytest.approx(5.4)
    assert find_suspects(once).tolist() == [False] * 5
    # from MANY_EVALUATIONS on the mean decides: 9 times 0.21 and once 0.9 are 0.279, 3.95 deviations
    many = [[0.2] * 4 + [0.21]] * (MANY_EVALUATIONS - 1) + [[0.2] * 4 + [0.9]]
    assert suspicion(many)[4] == pytest.approx(3.95)
    assert find_suspects(many).tolist() == [False] * 4 + [True]


def test_only_evaluations_at_which_a_worker_was_present_count() -> None:
    """Worker 5 is odd whenever it is there; at 4 evaluations it is not judged, at 5 it is."""
    there: list[float | None] = [0.2, 0.2, 0.2, 0.2, 0.4]
    away: list[float | None] = [0.2, 0.2, 0.2, 0.2, None]
    for times, expected in ((LEAST_EVALUATIONS - 1, False), (LEAST_EVALUATIONS, True)):
        assert find_suspects([there] * times + [away] * 8).tolist() == [False] * 4 + [expected]
    assert mean_disagreement([there, away]).tolist() == pytest.approx([0.2] * 4 + [0.4])
    assert np.isnan(mean_disagreement([away])[4])


def test_to_be_there_early_is_not_suspicious() -> None:
    """All disagree by 0.5 at first and by 0.1 later; worker 1 was asked early, the others mostly later."""
    early: list[list[float | None]] = [[0.5, 0.5, 0.5, None, None, None]] * 6
    later: list[list[float | None]] = [[None, 0.1, 0.1, 0.1, 0.1, 0.1]] * 30
    assert np.abs(suspicion(early + later)).max() == pytest.approx(0, abs=1e-9)


# -- partial participation -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def partial() -> Result:
    return run(replace(PARTIAL, byzantine=(4, 9), attack="sign-flip"))


def test_absent_workers_are_recorded_as_none(partial: Result) -> None:
    asked = [set(asked_in(each.round - 1)) for each in partial.history]
    for each, present in zip(partial.history, asked, strict=True):
        assert each.disagreement is not None
        assert each.twins is not None
        shown = {worker for worker, share in enumerate(each.disagreement, start=1) if share is not None}
        assert shown == present == {worker for worker, twin in enumerate(each.twins, start=1) if twin is not None}
        assert len(present) == 5


def asked_in(round: int) -> list[int]:
    return [int(worker) for worker in Participation(np.arange(1, 11), 0.5, 0).select_workers(round)]


def test_the_present_are_judged(partial: Result) -> None:
    found = list_individuals(partial.spec, partial.history, partial.personal)
    assert [each.worker for each in found if each.suspicion is not None and each.suspicion.suspected] == [4, 9]
    assert [each.worker for each in found if each.byzantine] == [4, 9]


def test_who_was_never_there_has_no_numbers() -> None:
    result = run(replace(PARTIAL, rounds=10, participation=0.3))
    found = list_individuals(result.spec, result.history)
    assert [each.suspicion is None for each in found].count(True) == 7


def test_ideal_methods_and_arrays_with_absent_ones(partial: Result) -> None:
    table = partial.arrays()["disagreement"]
    assert table.shape == (20, 10)
    assert np.isnan(table).sum() == 100
    assert not np.isnan(table).all(axis=0).any()


# -- what inspect says -----------------------------------------------------------------------------------------


def notes(spec: Spec, folder: Path) -> list[str]:
    run(spec, folder)
    return inspect(folder).notes


def test_bits_are_named_as_the_reason(tmp_path: Path) -> None:
    told = notes(replace(PARTIAL, method="rsa:messages=bits", participation=1.0), tmp_path / "run")
    assert told == ["No worker was judged by its messages: the master received only counts of bits."]
    assert all(each.suspicion is None for each in inspect(tmp_path / "run").workers)


def test_few_evaluations_are_named_as_the_reason(tmp_path: Path) -> None:
    told = notes(replace(SHORT, rounds=3), tmp_path / "run")
    why = f"suspicion scores need {LEAST_EVALUATIONS} evaluations, this run has 3; lower --eval-every."
    assert told == [f"No worker was judged by its messages: {why}"]
    workers = inspect(tmp_path / "run").workers
    assert all(each.suspicion is not None for each in workers)
    assert {look(each) for each in workers} == {"not judged"}
    assert not any("suspect" in line.lower() or "copies" in line for line in remarks(workers))
    assert count_suspects(workers) is None


def test_partial_participation_is_judged_and_who_was_seldom_there_is_named(tmp_path: Path) -> None:
    assert notes(PARTIAL, tmp_path / "often") == []
    told = notes(replace(PARTIAL, rounds=80), tmp_path / "seldom")
    counts = np.sum([[w in asked_in(round) for w in range(1, 11)] for round in range(9, 80, 10)], axis=0)
    few = [str(worker) for worker, count in enumerate(counts, start=1) if count < LEAST_EVALUATIONS]
    assert 0 < len(few) < 10
    assert told == [f"Not judged, since present at fewer than {LEAST_EVALUATIONS} evaluations: {', '.join(few)}."]
    assert not any("older" in note for note in told)


def test_a_run_under_way_says_so(tmp_path: Path) -> None:
    run(SHORT, tmp_path / "run")
    (tmp_path / "run" / "result.json").unlink()
    told = inspect(tmp_path / "run").notes
    assert told[0].startswith("This run is not over; resume it with: holdfast resume ")
    assert told[-1] == "The workers' own models are measured when the run is over."
