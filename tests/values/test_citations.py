"""Every member names its sources, and every source is a BibTeX entry that someone names."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from holdfast import aggregators, attacks, methods, stages
from holdfast.citations import BIBTEX, citations_of
from holdfast.errors import InvalidInput
from holdfast.methods import reduction
from holdfast.typing import Rows, Vector

MEMBERS: dict[str, Any] = {
    **methods.REGISTRY, **aggregators.REGISTRY, **stages.REGISTRY, **reduction.REGISTRY, **attacks.REGISTRY,
}  # fmt: skip
WITHOUT = {
    "mean", "sgd", "ideal-sgd", "clip", "watch",
    "contrarian", "adaptive", "random-labels", "bit-flip", "dropped", "delayed",
    "noisy-duplicate", "partial-contrarian", "framing", "sleeper", "rotating",
}  # fmt: skip
"""What nobody has to be thanked for."""


def cited(method: object) -> list[str]:
    return [entry.partition("{")[2].partition(",")[0] for entry in citations_of(method)]


def test_every_other_member_has_a_source() -> None:
    assert {name for name, member in MEMBERS.items() if not member.cites} == WITHOUT


def test_every_source_is_known_and_used() -> None:
    assert {key for member in MEMBERS.values() for key in member.cites} == set(BIBTEX)


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
