"""A bound that is reached but for rounding holds."""

import pytest

from holdfast.report.theorem_sections import theory_sections
from holdfast.studies.paper.theory_numbers import Theorems
from holdfast.theory.numbers import Curve, Gaps


@pytest.mark.parametrize(("first", "holds"), [(1.0, "yes"), (1 + 2**-52, "yes"), (1.001, "NO")])
def test_a_bound_is_judged_but_for_rounding(first: float, holds: str) -> None:
    curve = Curve([0, 1, 2], [first, 0.5, 0.25], [first, 0.4, 0.2], [first, 0.6, 0.3], [1.0, 1.0, 1.0], 1.0)
    section, *_ = theory_sections(Theorems(curve, curve, Gaps([1, 2], [1.0, 4.0], [2.0, 8.0], 2.0)))
    assert ("the bound holds at every round", holds) in section.numbers.rows
