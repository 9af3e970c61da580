"""Arenas of several data sets and models: what conditions are called, what is built, and by which step sizes."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from holdfast.attacks import SignFlip
from holdfast.data import ByLabel, Iid
from holdfast.errors import InvalidInput
from holdfast.methods import Method, make_method
from holdfast.runs.metrics import Evaluation
from holdfast.runs.records import Record
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import make_model
from holdfast.studies.arena_plan import Arena, Bout, Condition, Task
from holdfast.studies.arena_play import choose_factors, play_arena
from holdfast.studies.arena_presets import PRESETS
from holdfast.studies.arena_results import collect_results, conclusions, headline
from holdfast.studies.leaderboard import BoutResult, Leaderboard
from holdfast.studies.study import Arrived, Study

RSA, MEDIAN = map(make_method, ("rsa", "median"))
MLP = make_model("mlp:hidden=4")
BASE = Spec(data="digits", rate=0.1, rounds=7, workers=8)


def arena(data: tuple[str, ...] = ("digits",), models: tuple[object, ...] = (None,)) -> Arena:
    return Arena(BASE, data, models, (RSA, MEDIAN), (SignFlip(),), (Iid(),), ((2, 2),))


class Prepared(Exception):
    """Ends an arena before its first run."""


class Wanted:
    """Remembers which runs an arena wants, and ends it."""

    def __init__(self) -> None:
        self.specs: list[Spec] = []

    @contextmanager
    def telling(self, specs: Sequence[Spec]) -> Iterator[Arrived]:
        self.specs.extend(specs)
        raise Prepared
        yield


@pytest.mark.parametrize(
    ("played", "texts"),
    [
        (arena(), ["iid, q = 2"]),
        (arena(data=("digits", "mnist")), ["digits, iid, q = 2", "mnist, iid, q = 2"]),
        (arena(models=(None, MLP)), ["linear, iid, q = 2", "mlp:hidden=4, iid, q = 2"]),
        (
            arena(data=("a/votes.npz", "b/votes.npz"), models=(MLP, None)),
            [
                "a/votes.npz, mlp:hidden=4, iid, q = 2",
                "a/votes.npz, linear, iid, q = 2",
                "b/votes.npz, mlp:hidden=4, iid, q = 2",
                "b/votes.npz, linear, iid, q = 2",
            ],
        ),
    ],
    ids=["one task", "data sets", "models", "both"],
)
def test_a_condition_begins_with_what_there_are_several_of(played: Arena, texts: list[str]) -> None:
    assert [each.text for each in played.conditions() if each.byzantine] == texts


def test_every_data_set_is_learnt_by_every_model() -> None:
    played = arena(data=("digits", "mnist"), models=(None, MLP))
    specs = [spec for bout in played.bouts() for spec in played.specs(bout)]
    learned = {(spec.data, spec.model) for spec in specs}
    assert learned == {("digits", None), ("digits", MLP), ("mnist", None), ("mnist", MLP)}
    assert len(specs) == 4 * 2 * (1 + 1)  # tasks, methods, nobody lying and one attack


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"data": ()}, "an arena needs at least one of data, all different; got []"),
        (
            {"data": ("digits", "digits")},
            "an arena needs at least one of data, all different; got ['digits', 'digits']",
        ),
        ({"models": (None, None)}, "an arena needs at least one of models, all different"),
        ({"base": replace(BASE, model=MLP, normalise="none"), "models": (MLP, None)}, "normalise needs a model"),
    ],
)
def test_tasks_that_cannot_be_played_are_refused(changed: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        replace(arena(), **changed)  # type: ignore[arg-type]
    assert message in str(refused.value)


def other_data(folder: Path) -> str:
    """Write a small data set and return its path."""
    np.savez(folder / "other.npz", x=np.eye(40), y=np.arange(40) % 2)
    return str(folder / "other.npz")


def test_each_problem_is_built_once_with_several_tasks(tmp_path: Path, problems_made: list[object]) -> None:
    """Two data sets, two partitions and two seeds are eight problems; the runs of each follow each other too."""
    played = replace(arena(data=("digits", other_data(tmp_path))), base=replace(BASE, rate="auto"))
    played = replace(played, partitions=(ByLabel(), Iid()), seeds=(0, 1))
    wanted = Wanted()
    with pytest.raises(Prepared):
        play_arena(played, Study(1, telling=wanted.telling))
    assert len(problems_made) == 8
    assert len(wanted.specs) == 2 * len(played.bouts())
    assert len(list(groupby(wanted.specs, lambda spec: (spec.data, spec.partition, spec.seed)))) == 8


def test_each_data_set_is_read_once_however_many_partitions_and_models(
    tmp_path: Path, data_loaded: list[object]
) -> None:
    played = arena(data=("digits", other_data(tmp_path)), models=(None, MLP))
    played = replace(played, base=replace(BASE, rate="auto"), partitions=(ByLabel(), Iid()))
    with pytest.raises(Prepared):
        play_arena(played, Study(1, telling=Wanted().telling))
    assert len(data_loaded) == 2


def test_a_factor_is_for_one_task_only(tmp_path: Path) -> None:
    played, wanted = arena(data=("digits", other_data(tmp_path))), Wanted()
    task = next(task for task in played.tasks() if task.data == "digits")
    with pytest.raises(Prepared):
        play_arena(played, Study(telling=wanted.telling), {(task, Iid(), MEDIAN): 3.0})
    rates = {(Path(spec.data).name, spec.method_name): spec.rate for spec in wanted.specs}
    assert rates == {
        ("digits", "rsa"): 0.1,
        ("digits", "median"): 0.3,
        ("other.npz", "rsa"): 0.1,
        ("other.npz", "median"): 0.1,
    }


class Made:
    """Knows how every run went: long steps suit networks, short ones do not."""

    def find(self, spec: Spec) -> Record:
        assert spec.data == "held.npz"
        long = spec.rate == 0.3
        accuracy = 0.9 if long == (spec.model is not None) else 0.5
        return Record(spec, (Evaluation(7, accuracy, 0.0, 0.0, 0.0),), 7, None, None, 1.0, 0.0)

    def keep(self, record: Record) -> None:
        raise AssertionError


def test_step_sizes_are_chosen_per_task_on_what_was_held_back(monkeypatch: pytest.MonkeyPatch) -> None:
    played = arena(models=(None, MLP))
    monkeypatch.setattr("holdfast.studies.study.check", lambda spec: None)

    def held_out(spec: Spec) -> Spec:
        return replace(spec, data="held.npz", problem="softmax", method="median")

    found = choose_factors(played, (1.0, 3.0), held_out, Study(1, Made()))
    linear, network = played.tasks()
    assert {(task, factor) for (task, _, _), factor in found.items()} == {(linear, 1.0), (network, 3.0)}
    assert len(found) == 2 * 2  # tasks and methods


def board_of(played: Arena, finals: dict[tuple[Any, Method], float]) -> Leaderboard:
    """Return the board on which a model and a method always end at the same accuracy."""

    def ended(bout: Bout) -> Record:
        accuracy = finals[bout.condition.task.model, bout.method]
        return Record(Spec(rate=0.1), (Evaluation(0, accuracy, 0.0, 0.0, 0.0),), 1, None, None, 1.0, 0.0)

    return Leaderboard.of(BoutResult(bout, (ended(bout),)) for bout in played.bouts())


FINALS = {(None, RSA): 0.8, (None, MEDIAN): 0.6, (MLP, RSA): 0.5, (MLP, MEDIAN): 0.9}


def test_one_leaderboard_and_a_sentence_for_each_task() -> None:
    found = board_of(arena(models=(None, MLP)), FINALS)
    assert found.overall(MEDIAN) == pytest.approx((0.6 + 0.9) / 2)
    assert headline(found) == (
        "In the worst case over all attacks median keeps 75% of the way from guessing to the ceiling; "
        "the next best keeps 65%."
    )
    assert conclusions(found) == [
        "median and rsa keep at least 50% of the way from guessing to the ceiling in every condition.",
        "linear: rsa keeps 80%; the next best keeps 60%.",
        "mlp:hidden=4: median keeps 90%; the next best keeps 50%.",
    ]
    assert len(conclusions(board_of(arena(), FINALS))) == 1, "one task needs no sentence of its own"


def test_every_standing_says_what_was_learnt() -> None:
    played = arena(models=(None, MLP))
    standings = collect_results(played, board_of(played, FINALS))["standings"]
    assert {(each["data"], each["model"]) for each in standings} == {("digits", "none"), ("digits", "mlp:hidden=4")}


def test_the_preset_networks_plays_two_data_sets_with_two_models() -> None:
    played = PRESETS["networks"].arena()
    texts = dict.fromkeys(condition.task.text for condition in played.conditions())
    cnn = "cnn:first=8,second=16,hidden=32,halve=strides"
    assert list(texts) == [
        "mnist, mlp:hidden=64",
        f"mnist, {cnn}",
        "fashion-mnist, mlp:hidden=64",
        f"fashion-mnist, {cnn}",
    ]
    assert (played.base.rounds, played.base.eval_every) == (150, 75)
    for name in set(PRESETS) - {"networks"}:
        assert len(PRESETS[name].arena().tasks()) == 1
        assert PRESETS[name].arena().tasks()[0].text == ""


def test_a_condition_is_told_from_those_of_its_task() -> None:
    condition = Condition(Task("mnist", None, "mnist", "linear"), ByLabel(), 8, 4)
    assert condition.text == "mnist, linear, by-label, q = 8, told 4"
    assert condition.within_task == "by-label, q = 8, told 4"
