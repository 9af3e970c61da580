"""Every member names its sources, and every source is a BibTeX entry that someone names."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from holdfast import aggregators, attacks, methods, stages
from holdfast.citations import BIBTEX, citations_of
from holdfast.data import PARTITIONS
from holdfast.errors import InvalidInput
from holdfast.methods import reduction
from holdfast.typing import Rows, Vector

MEMBERS: dict[str, Any] = {
    **methods.REGISTRY, **aggregators.REGISTRY, **stages.REGISTRY, **reduction.REGISTRY, **attacks.REGISTRY,
    **PARTITIONS.registry,
}  # fmt: skip
WITHOUT = {
    "mean", "sgd", "ideal-sgd", "clip", "watch",
    "contrarian", "adaptive", "random-labels", "bit-flip", "dropped", "delayed",
    "iid", "assignment", "noisy-duplicate", "partial-contrarian", "framing", "sleeper", "rotating",
}  # fmt: skip
"""What nobody has to be thanked for."""


def cited(method: object) -> list[str]:
    return [entry.partition("{")[2].partition(",")[0] for entry in citations_of(method)]


def test_every_other_member_has_a_source() -> None:
    assert {name for name, member in MEMBERS.items() if not member.cites} == WITHOUT


def test_every_source_is_known_and_used() -> None:
    assert {key for member in MEMBERS.values() for key in member.cites} == set(BIBTEX)


STATED = re.compile(r"[Ww]hile [^.;:]* lie|[Ww]herever|rows moved anywhere|[Nn]o row is longer")
NONE_STATED = re.compile(r"Not robust|claims no bound")
LIMITED: dict[str, Any] = {**aggregators.REGISTRY, **stages.REGISTRY}


@pytest.mark.parametrize("name", LIMITED)
def test_every_rule_and_stage_states_its_bound_or_that_it_has_none(name: str) -> None:
    """What is stated, `tests/laws` tries on rows under attack."""
    member = LIMITED[name]
    text = " ".join((member.__doc__ or "").split())
    assert bool(STATED.search(text)) != bool(NONE_STATED.search(text))
    if name in aggregators.REGISTRY:
        assert member.bounded == bool(STATED.search(text))


NAMED = re.compile(r"([A-Z][\w-]+)(?:, [A-Z]\w+)*(?: et al\.| and [A-Z][\w-]+)? \((?:[A-Z][A-Z a-z]+ )?(\d{4})\)")
"""As in `Yin et al. (2018)`, `Gupta, Liu and Vaidya (2020)`, `Peng et al. (JMLR 2025)`: an author, and the year."""


@pytest.mark.parametrize("name", MEMBERS)
def test_whom_a_docstring_names_is_among_the_sources(name: str) -> None:
    member = MEMBERS[name]
    sources = [BIBTEX[key] for key in member.cites]
    for author, year in NAMED.findall(" ".join((member.__doc__ or "").split())):
        assert any(author in source and f"year = {{{year}}}" in source for source in sources), (author, year)


@pytest.mark.parametrize("key", BIBTEX)
def test_an_entry_says_who_what_where_and_when(key: str) -> None:
    entry = BIBTEX[key]
    assert entry.startswith("@")
    assert entry.count("{") == entry.count("}")
    fields = dict(re.findall(r"^  (\w+) = \{(.*)\},$", entry, re.MULTILINE))
    assert {"author", "title", "year"} < set(fields)
    assert fields.keys() & {"journal", "booktitle"}
    assert fields["year"] in key
    first = re.sub(r"[^a-z]", "", fields["author"].partition(",")[0].lower())
    assert key.startswith(first)


@pytest.mark.parametrize("name", MEMBERS)
def test_every_member_can_be_asked_for_by_its_name(name: str) -> None:
    assert set(MEMBERS[name].cites) <= set(cited(name))


def test_stages_come_before_their_rule_and_nobody_twice() -> None:
    assert cited("bucketing+nnm+krum") == ["karimireddy2022byzantine", "allouah2023fixing", "blanchard2017machine"]
    assert cited("nnm+nnm+mean") == ["allouah2023fixing"]
    assert cited("rsa:norm=2") == cited("ideal-rsa") == ["li2019rsa"]


@dataclass(frozen=True)
class Own:
    """A rule from outside."""

    cites: tuple[str, ...] = ("yin2018byzantine", "@misc{me, title = {Mine}}")

    def __call__(self, rows: Rows) -> Vector:
        first: Vector = rows[0]
        return first


def test_a_rule_from_outside_brings_its_own_entry() -> None:
    assert citations_of(Own()) == [BIBTEX["yin2018byzantine"], "@misc{me, title = {Mine}}"]
    assert citations_of(methods.Aggregated(np.nanmedian)) == []
    with pytest.raises(InvalidInput, match="unknown source 'yin2018'"):
        citations_of(Own(cites=("yin2018",)))
