"""Attacks with memory are the same after every interruption, and what attackers may ask is the truth."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from changed import ready
from holdfast.aggregators import Median
from holdfast.attacks import REGISTRY, ColludingAttack, FullView, LocalAttack, LocalView, WithMemory
from holdfast.engines.adversary import Adversary
from holdfast.engines.training import train
from holdfast.experiments import Interrupted, Spec, resume, run
from holdfast.experiments.assembly import assemble
from holdfast.experiments.watching import Unwatched
from holdfast.methods import Aggregated, GradientWorker, Method, Setting
from holdfast.typing import Nothing, Received, Rows, Vector, Workers

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
    sent = [adversary.corrupt(rows.copy(), WORKERS, np.zeros(2), round)[3:].tolist() for round in range(3)]
    assert sent == [[[1, 1]] * 2, [[2, 2]] * 2, [[3, 3]] * 2]
    assert adversary.memory.rounds.tolist() == [3, 3]
    again = Adversary(Counting(), WORKERS, (4, 5))
    again.recall(adversary.remembered(), np.zeros(2))
    assert again.corrupt(rows.copy(), WORKERS, np.zeros(2), 3)[4].tolist() == [4, 4]


def test_memory_stays_where_nobody_attacks() -> None:
    adversary = Adversary(Counting(), WORKERS, (4, 5))
    adversary.corrupt(np.zeros((3, 2)), WORKERS[:3], np.zeros(2), 0)  # nobody Byzantine is asked
    assert adversary.remembered() == {}
    adversary.corrupt(np.zeros((2, 2)), WORKERS[3:], np.zeros(2), 1)  # nobody to look at
    assert adversary.remembered() == {}
    adversary.recall({}, np.zeros(2))
    assert adversary.corrupt(np.zeros((5, 2)), WORKERS, np.zeros(2), 2)[4].tolist() == [1, 1]


def test_who_remembers_attacks_where_the_memory_is() -> None:
    assert Adversary(Counting(), WORKERS, (4, 5)).colludes
    local = Adversary(LocalCounting(), WORKERS, (4, 5))
    assert local.colludes
    assert (
        local.corrupt(np.ones((2, 2)), WORKERS[3:], np.ones(2), 0).tolist() == [[0, 0]] * 2
    )  # needs nobody to look at


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
        spec = ready(replace(BASE, attack=attack, method="median"))
        models = []
        for forget in (False, True):
            experiment = assemble(spec)
            start = experiment.master.init(experiment.problem.start())
            for state in train(experiment.master, experiment.engine, start, range(20)):
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


@dataclass(frozen=True)
class Unasked:
    """A master of somebody else's, which nobody can ask."""

    inner: Any

    def init(self, model: Vector) -> Any:
        return self.inner.init(model)

    def step(self, state: Any, received: Received) -> Any:
        return self.inner.step(state, received)


@dataclass(frozen=True)
class Closed(Method):
    """The median of gradients, by such a master."""

    def worker(self, setting: Setting) -> Any:
        return GradientWorker()

    def master(self, setting: Setting) -> Any:
        return Unasked(Aggregated(Median()).master(setting))


class Warned(Unwatched):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def warned(self, warning: str) -> None:
        self.lines.append(warning)


@pytest.mark.parametrize("attack", ["alie:search=line", "inner-product:search=line", "alie:search=upward", "adaptive"])
def test_a_search_that_cannot_ask_is_said(attack: str) -> None:
    spec, watcher = replace(BASE, method=Closed(), attack=attack, rounds=3, eval_every=3), Warned()
    closed = run(spec, watcher=watcher)
    assert watcher.lines == [f"{attack} cannot ask this method's master, and does not search"]
    fixed = {"adaptive": "min-max"}.get(attack, attack.partition(":")[0])
    assert closed.model.tobytes() == run(replace(spec, attack=fixed)).model.tobytes()
    watcher = Warned()
    assert run(replace(spec, method="median"), watcher=watcher).model.tobytes() != closed.model.tobytes()
    assert watcher.lines == []
