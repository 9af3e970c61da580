"""Laws are tried with few rows of every number: `tests/kernels` proves that networks written out are those of tables."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def laws_by_tables(tabled: None) -> None:
    """Compile no network for every number of rows."""
