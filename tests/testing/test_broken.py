"""Every law catches a part that breaks it, and shows an input on which it does."""

from typing import Any

import pytest
from broken import BREAKS, Signs, Wrapped

from holdfast.testing import (
    KINDS,
    LawBroken,
    attacks,
    check_penalty,
    check_problem,
    methods,
    partitions,
    penalties,
    problems,
    rules,
    stages,
)

CASES = [(kind, part, law) for kind, cases in BREAKS.items() for part, law in cases]
LAWS = [module.LAWS for module in (attacks, methods, partitions, penalties, problems, rules, stages)]


def named(part: Any) -> str:
    return getattr(part, "__name__", type(part).__name__)


@pytest.mark.parametrize(("kind", "part", "law"), CASES, ids=[f"{named(part)}, {law}" for _, part, law in CASES])
def test_the_law_is_reported_with_a_counterexample(kind: str, part: Any, law: str) -> None:
    with pytest.raises(LawBroken, match=f"BROKEN  {law}: ") as broken:
        KINDS[kind].check(part, examples=30)  # of 60 or more: so many are enough with room
    reported = broken.value.report[law]
    assert reported.holds is False
    assert reported.counterexample
    assert reported.counterexample in str(broken.value)


def test_every_law_is_seen_to_break() -> None:
    stated = {(laws.kind, statement.name) for laws in LAWS for statement in laws.statements}
    assert stated == {(kind, law) for kind, _, law in CASES}


def test_what_broken_parts_derive_from_is_whole() -> None:
    check_penalty(Signs())
    check_problem(Wrapped())
