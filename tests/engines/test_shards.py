"""Shards without Ray: their frames, put together, are what the simulation's master is given."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from holdfast import kernels
from holdfast.engines import wire
from holdfast.errors import InvalidInput
from holdfast.experiments import Spec, run
from holdfast.experiments.assembly import assemble
from holdfast.experiments.comparison import compare
from holdfast.experiments.defaults import resolved
from holdfast.experiments.sharding import SpecShard
from holdfast.onebit.counter import Counter
from holdfast.typing import Tally

SPEC = resolved(Spec(data="digits", workers=7, batch=8, byzantine=2, attack="sign-flip", liars=(1, 6)))


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    before = kernels.threads()
    yield
    kernels.set_threads(before)


def shards(spec: Spec) -> list[SpecShard]:
    method = assemble(spec).method
    return [SpecShard(spec, method, workers) for workers in (np.array([1, 2, 3, 4]), np.array([5, 6, 7]))]


def frames(spec: Spec, parts: list[SpecShard], model: np.ndarray, round: int) -> list[Any]:
    answers = [part.answer(round, [wire.model(model, round)]) for part in parts]
    return [wire.read(answer, len(model))[1] for answer in answers if answer is not None]


@pytest.mark.parametrize("changes", [{}, {"norm": 2.0}, {"method": "median"}, {"dtype": "float64"}], ids=str)
def test_rows_of_shards_are_the_rows(changes: dict[str, Any]) -> None:
    spec = replace(SPEC, **changes)
    experiment, parts = assemble(spec), shards(spec)
    state = experiment.method.master.init(experiment.problem.start())
    for round in range(4):
        expected = experiment.fleet.exchange(state.model, round)
        found = np.concatenate(frames(spec, parts, state.model, round))
        assert found.tobytes() == expected.tobytes()
        state = experiment.method.master.step(state, expected, round)


@pytest.mark.parametrize("participation", [1.0, 0.5, 0.1])
def test_tallies_of_shards_add_up_to_the_tally(participation: float) -> None:
    spec = replace(SPEC, messages="bits", ties="coin", participation=participation)
    experiment, parts = assemble(spec), shards(spec)
    state = experiment.method.master.init(experiment.problem.start())
    for round in range(4):
        expected = experiment.fleet.exchange(state.model, round)
        counter = Counter(len(state.model), spec.workers)
        for tally in frames(spec, parts, state.model, round):
            assert isinstance(tally, Tally)
            counter.merge(tally)
        np.testing.assert_array_equal(counter.tally().ones, expected.ones)
        assert counter.tally().voters == expected.voters
        state = experiment.method.master.step(state, expected, round)


def test_a_shard_goes_on_from_another_one_s_state_or_from_its_past() -> None:
    first, second, third = (shards(SPEC)[0] for _ in range(3))
    models = np.random.default_rng(0).normal(size=(4, 650)).astype(np.float32)
    past = [(round, wire.model(models[round], round)) for round in range(3)]
    for round, frame in past:
        first.answer(round, [frame])
    second.load(first.state())
    third.replay(past)
    last = [wire.model(models[3], 3)]
    assert first.answer(3, last) == second.answer(3, last) == third.answer(3, last)


def test_a_shard_holds_the_samples_of_its_own_workers_only() -> None:
    problem = assemble(SPEC).problem
    own = problem.shards.only(3, 5)
    assert len(own.features) == len(own.targets) == problem.shards.starts[5] - problem.shards.starts[2]
    for worker in (3, 4, 5):
        for mine, theirs in zip(own.of(worker), problem.shards.of(worker), strict=True):
            np.testing.assert_array_equal(mine, theirs)
    assert own.of(1)[0].size == own.of(7)[0].size == 0


def test_without_ray_one_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InvalidInput, match=r"engine ray needs Ray: pip install 'holdfast\[ray\]'"):
        run(replace(SPEC, engine="ray"))


def test_comparisons_use_the_cores_themselves() -> None:
    with pytest.raises(InvalidInput, match="with engine simulated; got another"):
        compare([replace(SPEC, engine="ray")])


def test_a_time_limit_is_not_negative() -> None:
    with pytest.raises(InvalidInput, match=r"round_timeout must be at least 0; got -1\.0"):
        Spec(round_timeout=-1)
