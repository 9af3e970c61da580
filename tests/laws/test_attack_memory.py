"""Attacks with memory are the same after every interruption, and what attackers may ask is the truth."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import pytest

from changed import ready
from holdfast.attacks import ATTACKS, REGISTRY, ColludingAttack, FullView, LocalAttack, LocalView, WithMemory
from holdfast.engines.adversary import Adversary
from holdfast.engines.engine import train
from holdfast.runs.experiment import assemble
from holdfast.runs.observers import Interrupted, LoggingObserver
from holdfast.runs.plan import remake_plan
from holdfast.runs.runner import resume, run
from holdfast.runs.spec import Spec
from holdfast.typing import Messages, Nothing, Rows, Vector, Workers

BASE = Spec(data="digits", workers=8, byzantine=(3, 8), rounds=30, eval_every=10)
WORKERS = np.arange(1, 6)


class Seen(NamedTuple):
    rounds: Any


@dataclass(frozen=True)
class Counting(WithMemory[Seen], ColludingAttack):
    """Send how many rounds were seen."""

    def init(self, neutral: Vector, byzantine: Workers) -> Seen:
        return Seen(np.zeros(len(byzantine)))

    def step(self, state: Seen, view: FullView) -> tuple[Rows, Seen]:
        state = Seen(state.rounds + 1)
        return np.full_like(view.own, state.rounds[0]), state


@dataclass(frozen=True)
class LocalCounting(WithMemory[Seen], LocalAttack):
    uses_own = False

    def init(self, neutral: Vector, byzantine: Workers) -> Seen:
        return Seen(np.zeros(len(byzantine)))

    def step(self, state: Seen, view: LocalView) -> tuple[Rows, Seen]:
        return np.full_like(view.own, state.rounds[0]), Seen(state.rounds + 1)


def test_memory_goes_from_round_to_round() -> None:
    adversary, rows = Adversary(Counting(), WORKERS, (4, 5)), np.zeros((5, 2))
    sent = [adversary.corrupt(Messages(rows.copy(), WORKERS, round), np.zeros(2))[3:].tolist() for round in range(3)]
    assert sent == [[[1, 1]] * 2, [[2, 2]] * 2, [[3, 3]] * 2]
    assert adversary.memory.rounds.tolist() == [3, 3]
    again = Adversary(Counting(), WORKERS, (4, 5))
    again.restore_memory(adversary.pack_memory(), np.zeros(2))
    assert again.corrupt(Messages(rows.copy(), WORKERS, 3), np.zeros(2))[4].tolist() == [4, 4]


def test_memory_stays_where_nobody_attacks() -> None:
    adversary = Adversary(Counting(), WORKERS, (4, 5))
    adversary.corrupt(Messages(np.zeros((3, 2)), WORKERS[:3], 0), np.zeros(2))  # nobody Byzantine is asked
    assert adversary.pack_memory() == {}
    adversary.corrupt(Messages(np.zeros((2, 2)), WORKERS[3:], 1), np.zeros(2))  # nobody to look at
    assert adversary.pack_memory() == {}
    adversary.restore_memory({}, np.zeros(2))
    assert adversary.corrupt(Messages(np.zeros((5, 2)), WORKERS, 2), np.zeros(2))[4].tolist() == [1, 1]


def test_who_remembers_attacks_where_the_memory_is() -> None:
    assert Adversary(Counting(), WORKERS, (4, 5)).colludes
    local = Adversary(LocalCounting(), WORKERS, (4, 5))
    assert local.colludes
    byzantine_alone = Messages(np.ones((2, 2)), WORKERS[3:], 0)  # needs nobody to look at
    assert local.corrupt(byzantine_alone, np.ones(2)).tolist() == [[0, 0]] * 2


@pytest.mark.parametrize("attack", ["mimic:warm_up=15", "delayed:rounds=3", "dynamic-label-flip", "adaptive"])
@pytest.mark.parametrize("method", ["rsa", "rsa:messages=bits", "median", "centered-clipping"])
@pytest.mark.parametrize("share", [1.0, 0.6])
def test_a_resumed_run_is_the_run(method: str, attack: str, share: float, tmp_path: Path) -> None:
    spec = replace(BASE, method=method, attack=attack, participation=share, checkpoint_every=10)
    whole = run(spec)
    rounds = iter(range(1000))
    with pytest.raises(Interrupted):
        run(spec, tmp_path / "run", stopping=lambda: next(rounds) >= 17)
    again = resume(tmp_path / "run")
    assert again.model.tobytes() == whole.model.tobytes()
    assert again.history == whole.history


def test_memory_matters() -> None:
    """Else the test before proves nothing: without it a run is another."""
    for attack in ("mimic:warm_up=15", "delayed:rounds=3"):
        spec = ready(replace(BASE, attack=attack, method="median", momentum=0))
        models = []
        for forget in (False, True):
            experiment = assemble(remake_plan(spec))
            start = experiment.program.init(experiment.problem.start())
            for state in train(experiment.program, experiment.engine, start, range(20)):
                model = state.model
                if forget:
                    experiment.engine.adversary.memory = Nothing()
            models.append(model.tobytes())
        assert models[0] != models[1]


FORESEEN: list[Vector] = []


@dataclass(frozen=True)
class Asking(ColludingAttack):
    """Send 1, and keep what was foreseen of that."""

    def __call__(self, view: FullView, /) -> Rows:
        assert view.aggregate is not None
        sent = np.ones_like(view.own)
        for rows in (-sent, sent):  # asking changes nothing: the last answer is that to an only question
            foreseen = view.aggregate(np.concatenate([view.honest, rows]))
        FORESEEN.append(foreseen)
        return sent


METHODS = ["rsa", "rsa:norm=2", "rsa:messages=bits", "rsa:ties=coin", "sgd", "median", "centered-clipping", "nnm+krum"]


@pytest.mark.parametrize("method", [*METHODS, "bucketing+median"])
def test_what_is_foreseen_comes_true(method: str) -> None:
    """The steps of the master are those that were foreseen of what was sent, with the memory of its rule."""
    FORESEEN.clear()
    spec = replace(BASE, method=method, attack="gaussian", rounds=6, eval_every=6, dtype="float64", l2=0.0)
    numbers = ready(replace(spec, rate=0.01, schedule="constant"))
    result = run(replace(numbers, attack=Asking()))
    assert len(FORESEEN) == 6
    np.testing.assert_allclose(result.model, -0.01 * np.sum(FORESEEN, axis=0), rtol=1e-9, atol=1e-12)


def test_every_attack_of_ours_is_the_same_with_and_without_workers_that_compute_for_nothing() -> None:
    for name in REGISTRY:
        spec = replace(BASE, method="median", attack=name, rounds=5, eval_every=5)
        assert run(spec).model.tobytes() == run(replace(spec, byzantine_work="always")).model.tobytes()


class Warned(LoggingObserver):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def warn(self, warning: str) -> None:
        self.lines.append(warning)


@pytest.mark.parametrize("attack", ["alie:search=line", "inner-product:search=line", "alie:search=upward", "adaptive"])
def test_a_search_asks_the_master_and_where_there_is_none_sends_what_it_would_without(attack: str) -> None:
    fixed = {"adaptive": "min-max"}.get(attack, attack.partition(":")[0])
    alone = FullView.of(np.random.default_rng(0).normal(size=(6, 4)), 2)
    searching, other = (cast(ColludingAttack, ATTACKS.make(text)) for text in (attack, fixed))
    assert searching(alone).tobytes() == other(alone).tobytes()
    spec, observer = replace(BASE, method="median", attack=attack, rounds=3, eval_every=3), Warned()
    assert run(spec, observer=observer).model.tobytes() != run(replace(spec, attack=fixed)).model.tobytes()
    assert observer.lines == []
