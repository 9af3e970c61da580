"""Step sizes and lambdas by rule for many runs: the same in one process and in several, and kept in a file."""

import json
import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import outsiders
from holdfast.attacks import ColludingAttack, FullView, SignFlip
from holdfast.errors import InvalidInput
from holdfast.methods import make_method
from holdfast.runs.auto import resolve_auto
from holdfast.runs.plan import drop_ignored, fill_defaults
from holdfast.runs.spec import Spec
from holdfast.studies import auto_numbers as finding
from holdfast.studies import auto_numbers as numbers
from holdfast.studies import pool
from holdfast.studies.auto_numbers import Numbers, NumbersFile, find_numbers, find_question, with_numbers
from holdfast.typing import Rows

BASE = Spec(data="digits", rounds=7, workers=8, byzantine=2, attack=SignFlip(), rate="auto")

pytestmark = pytest.mark.usefixtures("compiled")


@dataclass(frozen=True)
class Dies(ColludingAttack):
    """An attack that takes its process with it."""

    def __call__(self, view: FullView, /) -> Rows:
        os._exit(7)


def questions(base: Spec = BASE, **others: Any) -> list[Spec]:
    """Return what is asked for three problems, with a number or two left to the rule, problem by problem."""
    wanted = [
        replace(base, method=method, seed=seed, attack=attack)
        for seed in range(3)
        for method in ("rsa", "rsa:norm=1,penalty=0.1", "median")
        for attack in (SignFlip(), *others.get("attacks", ()))
    ]
    return [each for spec in wanted if (each := find_question(drop_ignored(fill_defaults(spec))))]


Tasks = list[int]
"""How many groups were given to other processes, whenever some were."""


@pytest.fixture
def spread(monkeypatch: pytest.MonkeyPatch) -> Tasks:
    """Count what is given to other processes, for which nothing is too short."""
    given: Tasks = []

    def counting(work: Sequence[Callable[[], Any]], jobs: int | None, ended: Any) -> None:
        given.append(len(work))
        pool.spread(work, jobs, ended)

    monkeypatch.setattr(finding, "spread", counting)
    monkeypatch.setattr(finding, "LONG", 0.0)
    return given


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Spec]:
    """The specs that the rule was asked about in this process."""
    specs: list[Spec] = []

    def counting(spec: Spec) -> Spec:
        specs.append(spec)
        return resolve_auto(spec)

    monkeypatch.setattr(finding, "resolve_auto", counting)
    return specs


# -- several processes -----------------------------------------------------------------------------------------


def test_several_processes_find_what_one_finds(spread: Tasks) -> None:
    specs = questions()
    alone = find_numbers(specs, 1, None)
    assert spread == []
    assert find_numbers(specs, 2, None) == alone
    assert spread == [2], "the first problem told that it takes long"
    assert [with_numbers(spec, each) for spec, each in alone.items() if not isinstance(each, str)] == [
        resolve_auto(spec) for spec in specs
    ]


def test_networks_are_spread_at_once(spread: Tasks, caplog: pytest.LogCaptureFixture) -> None:
    pytest.importorskip("torch")
    specs = [replace(spec, seed=seed) for seed in (0, 1) for spec in questions(replace(BASE, model="mlp:hidden=2"))[:2]]
    caplog.set_level(logging.INFO, "holdfast")
    assert find_numbers(specs, 2, None) == find_numbers(specs, 1, None)
    assert spread == [2]
    assert [record.getMessage() for record in caplog.records] == ["finding step sizes for 2 problems"] * 2


@pytest.mark.parametrize(
    ("specs", "jobs"),
    [(questions()[:2], 2), (questions(), 1), ([], 2)],
    ids=["one problem", "one job", "nothing to find"],
)
def test_no_process_is_started_for_nothing(specs: list[Spec], jobs: int, spread: Tasks) -> None:
    assert find_numbers(specs, jobs, None).keys() == set(specs)
    assert spread == []


def test_short_work_is_done_here(spread: Tasks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "LONG", 600.0)
    find_numbers(questions(), 2, None)
    assert spread == []


@pytest.mark.parametrize(
    ("spec", "left"),
    [
        (replace(BASE, method="median", rate=0.1), False),
        (replace(BASE, method="rsa:penalty=0.1", rate=0.1), False),
        (replace(BASE, method="rsa", rate=0.1), True),
        (replace(BASE, method="median"), True),
    ],
)
def test_what_has_its_numbers_is_not_asked(spec: Spec, left: bool) -> None:
    assert (find_question(fill_defaults(spec)) is not None) == left


def test_rules_on_gradients_have_one_question() -> None:
    asked = {
        find_question(fill_defaults(replace(BASE, method=make_method(name)))) for name in ("median", "krum", "sgd")
    }
    assert len(asked) == 1


# -- failures --------------------------------------------------------------------------------------------------


def test_a_part_that_fails_is_the_failure_of_its_own_specs(spread: Tasks) -> None:
    specs = questions(attacks=[outsiders.Broken()])
    alone, several = find_numbers(specs, 1, None), find_numbers(specs, 2, None)
    assert spread == [2]
    assert several == alone
    for spec, each in several.items():
        assert (each == "RuntimeError: nothing to send") == isinstance(spec.attack, outsiders.Broken)


def test_a_process_that_dies_is_the_failure_of_its_problem(spread: Tasks) -> None:
    *before, last = questions()
    found = find_numbers([*before, replace(last, attack=Dies())], 2, None)
    assert spread == [2]
    for spec, each in found.items():
        assert (each == "its process ended with status 7") == (spec.seed == 2)


def test_parts_that_other_processes_cannot_have_are_refused_as_for_runs(spread: Tasks) -> None:
    class Local(SignFlip):
        pass

    specs = [replace(spec, attack=Local()) for spec in questions()]
    with pytest.raises(InvalidInput, match="sends runs to other processes, which must know attack"):
        find_numbers(specs, 2, None)
    assert spread == []


# -- the file --------------------------------------------------------------------------------------------------


def file(folder: Path, data_sha256: str = "abc") -> NumbersFile:
    return NumbersFile(folder / "auto.json", lambda spec: data_sha256)


def test_what_was_found_is_not_found_again(tmp_path: Path, asked: list[Spec]) -> None:
    specs = questions()
    first = find_numbers(specs[:4], 1, file(tmp_path))
    assert asked == specs[:4]
    again = find_numbers(specs, 1, file(tmp_path))
    assert asked == specs
    assert find_numbers(specs, 1, file(tmp_path)) == again
    assert asked == specs
    assert {spec: again[spec] for spec in first} == first


def test_every_process_adds_to_the_file(tmp_path: Path, spread: Tasks, asked: list[Spec]) -> None:
    found = find_numbers(questions(), 2, file(tmp_path))
    assert spread == [2]
    asked.clear()
    assert find_numbers(questions(), 2, file(tmp_path)) == found
    assert asked == []
    assert spread == [2]


def torn(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-30])


def foreign(path: Path) -> None:
    path.write_text('["something", "else"]')


def harmed(path: Path) -> None:
    """Change a number, but not the checksum."""
    content = json.loads(path.read_text())
    key = next(iter(content["found"]))
    content["found"][key][1] = 5.0
    path.write_text(json.dumps(content))


def unreadable(path: Path) -> None:
    path.write_bytes(b"\xff\xfe\x00")


@pytest.mark.parametrize("harm", [torn, foreign, harmed, unreadable])
def test_a_file_that_is_of_no_use_is_written_anew(
    harm: Callable[[Path], None], tmp_path: Path, asked: list[Spec]
) -> None:
    specs = questions()[:3]
    found = find_numbers(specs, 1, file(tmp_path))
    whole = (tmp_path / "auto.json").read_bytes()
    harm(tmp_path / "auto.json")
    assert find_numbers(specs, 1, file(tmp_path)) == found
    assert asked == specs * 2
    assert (tmp_path / "auto.json").read_bytes() == whole


def test_numbers_of_other_data_specs_and_versions_do_not_count(
    tmp_path: Path, asked: list[Spec], monkeypatch: pytest.MonkeyPatch
) -> None:
    specs = questions()[:2]
    find_numbers(specs, 1, file(tmp_path))
    find_numbers(specs, 1, file(tmp_path, data_sha256="other"))
    assert len(asked) == 4
    find_numbers([replace(spec, rounds=8) for spec in specs], 1, file(tmp_path))
    assert len(asked) == 6
    monkeypatch.setattr(numbers, "__version__", "0.0.1")
    find_numbers(specs, 1, file(tmp_path))
    assert len(asked) == 8


def test_failures_are_not_kept(tmp_path: Path, asked: list[Spec]) -> None:
    specs = [replace(spec, attack=outsiders.Broken()) for spec in questions()[:2]]
    for _ in range(2):
        assert set(find_numbers(specs, 1, file(tmp_path)).values()) == {"RuntimeError: nothing to send"}
    assert asked == specs * 2
    assert not (tmp_path / "auto.json").exists()


def test_the_file_gives_back_what_was_kept(tmp_path: Path) -> None:
    spec, other, third = questions()[:3]
    file(tmp_path).keep({spec: Numbers(0.1 + 0.2, 1e-7)})
    file(tmp_path).keep({other: Numbers(None, 0.5)})
    assert file(tmp_path).find([spec, other, third]) == {spec: Numbers(0.1 + 0.2, 1e-7), other: Numbers(None, 0.5)}
