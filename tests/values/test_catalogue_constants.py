"""The constants of every rule, stage and attack: those that the catalogue and the sources say, and no others."""

import re
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest

from holdfast import aggregators, attacks, stages
from holdfast.aggregators import Smea, best_subset
from holdfast.aggregators.requirements import require_few_subsets
from holdfast.errors import InvalidInput
from holdfast.stages import Watch

CATALOGUE = (Path(__file__).parents[2] / "docs/catalogue.md").read_text()
DEFINITIONS, _, _ = CATALOGUE.partition("\n## Time")
ROWS = dict(re.findall(r"^\| `([a-z-]+)` \| (.*)$", DEFINITIONS, re.MULTILINE))
MEMBERS: dict[str, Any] = {**aggregators.REGISTRY, **stages.REGISTRY}


def defaults(member: Any) -> dict[str, Any]:
    """The options that have a value even if nobody says one."""
    given = {field.name: field.default for field in fields(member) if field.default is not MISSING}
    return {name: value for name, value in given.items() if value is not None}


@pytest.mark.parametrize("name", MEMBERS)
def test_the_catalogue_has_every_default(name: str) -> None:
    said = dict(re.findall(r"`(\w+)` = ([\d.e-]+)", ROWS[name].replace("10,000", "10000")))
    numbers = {option: float(value) for option, value in said.items() if value not in ("n-f", "f")}
    assert {option: numbers.pop(option) for option in defaults(MEMBERS[name])} == defaults(MEMBERS[name])
    assert numbers == ({"coordinates": 10_000} if name == "dnc" else {})


@pytest.mark.parametrize("name", MEMBERS)
def test_the_catalogue_says_from_how_many_rows_on_a_bound_holds(name: str) -> None:
    least = re.search(r"\| n >=? ?(\d?)f ?\+ ?(\d)|\| n > (\d)f", ROWS[name])
    if least is not None:
        factor, spare, above = least.groups()
        assert MEMBERS[name].needs == ((int(above), 1) if above else (int(factor), int(spare)))
    else:
        assert MEMBERS[name].needs == ((2, 3) if "as Krum" in ROWS[name] else (2, 1))


@pytest.mark.parametrize("name", aggregators.REGISTRY)
def test_the_catalogue_says_which_rules_claim_no_bound(name: str) -> None:
    assert aggregators.REGISTRY[name].bounded == ("| none" not in ROWS[name])


def test_the_most_subsets_are_those_that_the_catalogue_says() -> None:
    assert best_subset.SUBSETS == 2_000_000
    assert "2,000,000 subsets" in ROWS["smea"]
    assert "2,000,000 subsets" in ROWS["minimum-diameter"]


def test_as_many_subsets_as_allowed_are_searched_and_one_more_is_refused() -> None:
    """10 rows of which 5 may be left out: 10 * 9 * 8 * 7 * 6 / 120 = 252 subsets."""
    require_few_subsets(Smea(byzantine=5), 10, 5, most=252)
    with pytest.raises(InvalidInput, match="at most 251 subsets of n - byzantine rows to search; got 252 with n=10"):
        require_few_subsets(Smea(byzantine=5), 10, 5, most=251)


@pytest.mark.parametrize(
    ("near", "ratio", "said"),
    [
        (1.0, 1.4, r"near must be a number >= 0 and < 1; got 1\.0"),
        (0.25, 1.0, r"ratio must be a number > 1; got 1\.0"),
        (1.5, 0.5, r"near must be a number >= 0 and < 1; got 1\.5"),
        (-0.001, 1.4, r"near must be a number >= 0 and < 1; got -0\.001"),
    ],
)
def test_watch_needs_limits_on_either_side_of_one(near: float, ratio: float, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        Watch(near=near, ratio=ratio)
    assert Watch(near=0.999, ratio=1.001).near == 0.999
    assert Watch(near=0.0).near == 0


ATTACKS: dict[str, dict[str, Any]] = {
    "same-value": {"value": 100},  # the paper's
    "sign-flip": {"factor": -4},
    "gaussian": {"scale": 10_000},
    "duplicate": {"worker": 1},
    "inner-product": {"scale": 0.1, "search": "none", "evaluations": 24},
    "alie": {"search": "none", "evaluations": 24},
    "min-max": {"direction": "unit"},
    "min-sum": {"direction": "unit", "bound": "max"},
    "trim": {"b": 2},  # the authors'
    "mimic": {"warm_up": 100},
    "adaptive": {"evaluations": 48},
    "bit-flip": {"bit": "sign"},
    "delayed": {"rounds": 10},
    "noisy-duplicate": {"worker": 1, "share": 0.1},
    "partial-contrarian": {"share": 0.3},
    "framing": {"worker": 1, "share": 0.5},
    "sleeper": {"rounds": 250, "lie": "contrarian"},  # half of an arena's run
    "rotating": {"rounds": 20, "groups": 2, "lie": "contrarian"},
}


@pytest.mark.parametrize("name", attacks.REGISTRY)
def test_attacks_have_the_constants_of_their_sources(name: str) -> None:
    assert defaults(attacks.REGISTRY[name]) == ATTACKS.get(name, {})


def test_which_attacks_read_what_their_workers_would_send() -> None:
    """The others spare their workers a gradient."""
    assert {name for name, attack in attacks.REGISTRY.items() if attack.uses_own} == {
        "sign-flip", "bit-flip", "delayed", "sleeper", "rotating", "label-flip", "random-labels", "dynamic-label-flip",
    }  # fmt: skip


def test_which_attacks_ask_the_master() -> None:
    assert {name for name, attack in attacks.REGISTRY.items() if attack().searches} == {"adaptive"}
    assert attacks.Alie(search="line").searches
    assert attacks.InnerProduct(search="line").searches


def test_which_stages_shorten_rows_that_agree() -> None:
    assert {name for name, stage in stages.REGISTRY.items() if stage.shortens} == {"clip"}
