"""A run worker by worker, from its result and from its folder."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from changed import ready
from holdfast.errors import InvalidInput
from holdfast.insight.inspection import Suspicion, inspect, list_individuals, list_suspicions
from holdfast.runs.experiment import assemble
from holdfast.runs.metrics import Evaluation
from holdfast.runs.observers import Interrupted
from holdfast.runs.plan import remake_plan
from holdfast.runs.runner import resume, run
from holdfast.runs.spec import Spec
from holdfast.watching.suspicion import disagreement
from stopping import StopAfter

SPEC = Spec(
    data="digits",
    method="rsa",
    workers=8,
    byzantine=(2, 5),
    attack="sign-flip",
    rounds=100,
    eval_every=20,
    checkpoint_every=25,
)


def judged(history: list[Evaluation]) -> list[Suspicion]:
    """Return what is told of the workers, all of whom were present."""
    found = [each for each in list_suspicions(history) if each is not None]
    assert len(found) == len(list_suspicions(history))
    return found


@pytest.mark.parametrize(
    "spec",
    [
        SPEC,
        replace(SPEC, method="median"),
        replace(SPEC, method="ideal-rsa"),
        replace(SPEC, method="rsa:norm=2", dtype="float64"),
    ],
    ids=["rsa", "median", "ideal-rsa", "l2"],
)
def test_what_is_recorded_is_what_the_master_received(spec: Spec) -> None:
    parts = assemble(remake_plan(ready(spec)))
    program, recorded = parts.program, []
    state = program.init(parts.problem.start())
    for round in range(spec.rounds):
        messages = parts.engine.exchange(state, round)
        if (round + 1) % 20 == 0:
            neutral = np.zeros_like(state.model) if spec.method_name == "median" else state.model
            recorded.append(disagreement(np.asarray(messages.rows), neutral))
        state = program.step(state, messages)
    result = run(spec)
    assert [each.disagreement for each in result.history] == [each.shares for each in recorded]
    assert [each.twins for each in result.history] == [each.twins for each in recorded]
    ideal = spec.method_name == "ideal-rsa"
    workers = [1, 3, 4, 6, 7, 8] if ideal else list(range(1, 9))
    seen = list_individuals(result.spec, result.history, result.personal)
    assert [each.worker for each in seen] == workers
    assert [each.worker for each in seen if each.byzantine] == ([] if ideal else [2, 5])


@pytest.mark.parametrize("after", [1, 19, 20, 21, 25, 99])
def test_a_resumed_run_tells_the_same(after: int, tmp_path: Path) -> None:
    whole, stop = run(SPEC, tmp_path / "whole"), StopAfter(after)
    with pytest.raises(Interrupted):
        run(SPEC, tmp_path / "run", stop, stop)
    assert inspect(tmp_path / "run").result is None
    again = resume(tmp_path / "run")
    assert again.history == whole.history
    assert again.personal == whole.personal
    for name in ("records.jsonl", "model.npy"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert inspect(tmp_path / "run").workers == inspect(tmp_path / "whole").workers
    assert resume(tmp_path / "run").personal == whole.personal  # a run that is over stays as it is


def test_the_folder_tells_what_the_result_tells(tmp_path: Path) -> None:
    result = run(SPEC, tmp_path / "run")
    found = inspect(tmp_path / "run")
    assert found.workers == list_individuals(result.spec, result.history, result.personal)
    assert found.history == result.history
    assert found.notes == []
    assert {each.worker for each in found.workers if each.own is None} == {2, 5}
    assert json.loads(json.dumps(found.to_json(), allow_nan=False))["workers"][0]["suspicion"]["rank"] >= 1


def test_ranks_follow_suspicion_and_equals_share_one() -> None:
    def evaluation(shares: list[float | None]) -> Evaluation:
        return Evaluation(1, None, 0.0, 0.0, 0.0, disagreement=shares, twins=[0] * 4)

    found = judged([evaluation([0.2, each, 0.2, 0.3]) for each in (0.9, 0.7, 0.8, 0.8, 0.8)])
    assert [each.rank for each in found] == [3, 1, 3, 2]
    assert [each.disagreement for each in found] == pytest.approx([0.2, 0.8, 0.2, 0.3])
    # median 0.25, deviations 0.05, 0.55, 0.05, 0.05: 0.55 is 7.4 of 1.4826 * 0.05
    assert [each.suspected for each in found] == [False, True, False, False]


def test_evaluations_that_recorded_no_messages_do_not_count() -> None:
    early, *later = run(replace(SPEC, eval_every=10)).history
    assert judged([replace(early, disagreement=None, twins=None), *later]) == judged(later)


def test_workers_that_flip_signs_are_found_and_copies_are_copies() -> None:
    longer = replace(SPEC, rounds=300, eval_every=50)
    flipped, repeated = (judged(run(spec).history) for spec in (longer, replace(longer, attack="duplicate")))
    assert [i for i, each in enumerate(flipped, start=1) if each.suspected] == [2, 5]
    # who of them was first, the messages do not tell
    assert [i for i, each in enumerate(repeated, start=1) if each.copied] == [1, 2, 5]


def test_where_nobody_attacks_nobody_is_called_byzantine() -> None:
    for spec in (replace(SPEC, method="ideal-sgd"), replace(SPEC, attack=None)):
        result = run(spec)
        assert not any(each.byzantine for each in list_individuals(result.spec, result.history))


def test_a_record_that_was_cut_off_is_left_out_unless_the_run_is_over(tmp_path: Path) -> None:
    run(SPEC, tmp_path / "run")
    path = tmp_path / "run" / "records.jsonl"
    path.write_text(path.read_text()[:-20])
    with pytest.raises(InvalidInput, match="per line; got fewer than the run left"):
        inspect(tmp_path / "run")
    (tmp_path / "run" / "result.json").unlink()
    assert [each.round for each in inspect(tmp_path / "run").history] == [20, 40, 60, 80]
