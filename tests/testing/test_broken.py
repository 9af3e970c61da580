"""Every law catches a part that breaks it, and shows an input on which it does."""

from typing import Any

import pytest
from broken import BREAKS, Signs, Wrapped

from holdfast.methods import tell
from holdfast.testing import (
    KINDS,
    LawBroken,
    attack_laws,
    check_penalty,
    check_problem,
    method_laws,
    partition_laws,
    penalty_laws,
    problem_laws,
    rule_laws,
    stage_laws,
)
from holdfast.testing.laws import EXAMPLES, SECONDS

CASES = [(kind, part, law) for kind, cases in BREAKS.items() for part, law in cases]
LAWS = {
    (module.LAWS.kind, statement.name): statement
    for module in (attack_laws, method_laws, partition_laws, penalty_laws, problem_laws, rule_laws, stage_laws)
    for statement in module.LAWS.statements
}
FEW = 15
"""Inputs per law where one broken law out of many is to be named."""


def called(part: Any) -> str:
    return getattr(part, "__name__", type(part).__name__)


@pytest.mark.parametrize(("kind", "part", "law"), CASES, ids=[f"{called(part)}, {law}" for _, part, law in CASES])
def test_the_law_is_seen_to_break(kind: str, part: Any, law: str) -> None:
    """With half of the inputs and of the time of a check, so that there is room."""
    tried = LAWS[kind, law].try_on(tell(part, 2), EXAMPLES // 2, SECONDS / 2)
    assert (tried.name, tried.holds, tried.required) == (law, False, True)
    assert tried.counterexample


def test_every_law_has_a_part_that_breaks_it() -> None:
    assert set(LAWS) == {(kind, law) for kind, _, law in CASES}


@pytest.mark.parametrize("kind", BREAKS)
def test_a_check_names_the_law_and_the_counterexample(kind: str) -> None:
    part, law = BREAKS[kind][0]
    with pytest.raises(LawBroken, match=f"BROKEN  {law}: ") as broken:
        KINDS[kind].check(part, examples=FEW)
    reported = broken.value.report[law]
    assert reported.counterexample
    assert reported.counterexample in str(broken.value)
    assert not broken.value.report.holds


def test_what_broken_parts_derive_from_is_whole() -> None:
    check_penalty(Signs(), examples=FEW)
    check_problem(Wrapped(), examples=FEW)
