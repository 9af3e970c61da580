"""Laws are tried on every small number of rows: `tests/kernels` proves networks written out equal to tables."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def laws_by_tables(tabled: None) -> None:
    """Compile no network for every number of rows."""
