"""Members that other libraries have, too: their numbers come from our formulas with their constants.

Where a peer is not installed its comparisons are skipped; `make test-peers` installs all of them.
"""

import byzfl_members
import byzpy_members
import flower_members
import numpy as np
import pytest
from compared import Fault, Shared, ours, require, rounds
from peer_table import DOCS, table

MODULES = (byzfl_members, byzpy_members, flower_members)
SHARED = [each for module in MODULES for each in module.SHARED]
FAULTS = [each for module in MODULES for each in module.FAULTS]
peers_may_warn = pytest.mark.filterwarnings("default")


@peers_may_warn
@pytest.mark.parametrize("shared", SHARED, ids=str)
def test_a_peers_number_is_ours_but_for_named_constants(shared: Shared) -> None:
    require(shared.peer)
    formula = shared.formula or ours(shared.member)
    for rows in rounds():
        np.testing.assert_allclose(shared.theirs(rows), formula(rows), rtol=1e-6, atol=1e-6)


@peers_may_warn
@pytest.mark.parametrize("shared", [each for each in SHARED if each.differs], ids=str)
def test_a_difference_makes_one(shared: Shared) -> None:
    require(shared.peer)
    pairs = [(np.asarray(shared.theirs(rows)), np.asarray(ours(shared.member)(rows))) for rows in rounds()]
    assert any(one.shape != other.shape or not np.allclose(one, other, rtol=1e-6, atol=1e-9) for one, other in pairs)


@peers_may_warn
@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_shows(fault: Fault) -> None:
    require(fault.peer)
    assert fault.shown()


def test_the_page_has_the_table_of_these_comparisons() -> None:
    assert table(SHARED, FAULTS) in DOCS.read_text(), "python tests/peers/peer_table.py writes it"
