"""To whom samples are dealt: among honest workers alone nothing is missing, whoever lies."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.attacks import SignFlip
from holdfast.data import Among, ByLabel, FeatureNoise, Iid
from holdfast.errors import InvalidInput
from holdfast.methods import make_method
from holdfast.report.holdings_chart import holdings_of
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.studies.arena_plan import Arena
from holdfast.studies.arena_results import collect_results
from holdfast.studies.leaderboard import BoutResult, Leaderboard

SPEC = Spec(data="digits", workers=12, partition="by-label", attack="sign-flip", byzantine=2, dealt="honest")


@given(st.sets(st.integers(1, 9), min_size=1), st.integers(0, 2**20))
def test_holders_share_all_samples_and_the_others_hold_some_of_the_same(holders: set[int], seed: int) -> None:
    labels = np.arange(40) % 10
    parts = Among(Iid(), tuple(sorted(holders))).deal(labels, 9, np.random.default_rng(seed))
    held = [parts[worker - 1] for worker in sorted(holders)]
    assert sorted(np.concatenate(held).tolist()) == list(range(40))
    assert all(any(part is each for each in held) for part in parts)
    alone = Iid().deal(labels, len(holders), np.random.default_rng(seed))
    assert [part.tolist() for part in held] == [part.tolist() for part in alone]


def test_what_workers_see_is_what_holders_see_alone() -> None:
    features, labels, noise = np.arange(8.0).reshape(8, 1), np.zeros(8, int), FeatureNoise(1.0)
    among = Among(noise, (1, 3))
    parts = among.deal(labels, 3, np.random.default_rng(0))
    seen = noise.seen(features, [parts[0], parts[2]], np.random.default_rng(1))
    assert among.seen(features, parts, np.random.default_rng(1)).tobytes() == seen.tobytes()


def test_ten_honest_workers_hold_the_ten_classes_whoever_lies() -> None:
    for byzantine in (2, (1, 5)):
        held = holdings_of(replace(SPEC, byzantine=byzantine))
        assert held is not None
        honest = [
            worker for worker in range(1, 13) if worker not in replace(SPEC, byzantine=byzantine).byzantine_workers
        ]
        assert ((held.counts[np.array(honest) - 1] > 0) == np.eye(10, dtype=bool)).all()
    lost = holdings_of(replace(SPEC, dealt="everyone"))
    assert lost is not None
    assert (lost.counts[:10].sum(axis=0) == 0).any()


def test_honest_workers_learn_the_same_as_without_the_others() -> None:
    """Ideal RSA is RSA of the honest workers only: here that of ten workers."""
    honest = replace(SPEC, method="ideal-rsa:penalty=0.1", rounds=20, eval_every=20, rate=0.01, weighting="sum")
    alone = replace(honest, workers=10, attack=None, byzantine=0, dealt="everyone")
    assert run(honest).model.tobytes() == run(alone).model.tobytes()


def arena(honest: int | None = 5) -> Arena:
    base = replace(SPEC, attack=None, byzantine=0)
    methods = (make_method("median"),)
    return Arena(base, ("digits",), (None,), methods, (SignFlip(),), (ByLabel(),), ((1, 1), (3, 2)), (0,), honest)


def test_an_arena_has_as_many_honest_workers_in_every_condition() -> None:
    specs = [spec for bout in arena().bouts() for spec in arena().specs(bout)]
    assert [(spec.workers, spec.q, spec.declared) for spec in specs] == [(5, 0, 1), (6, 1, 1), (8, 3, 2)]
    assert {spec.dealt for spec in specs} == {"honest"}
    failed = [BoutResult(bout, failure="not played") for bout in arena().bouts()]
    assert collect_results(arena(), Leaderboard.of(failed))["honest"] == 5
    assert [spec.workers for bout in arena(None).bouts() for spec in arena(None).specs(bout)] == [12] * 3


def test_an_arena_without_honest_workers_is_refused() -> None:
    with pytest.raises(InvalidInput, match="honest must be at least 1; got 0"):
        arena(0)
