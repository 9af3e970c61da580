"""Networks whose numbers are in golden.json still come out, under attacks that search in few coordinates too."""

from typing import Any

import pytest

from test_golden import GOLDEN, compare_with_golden

NETWORKS: dict[str, dict[str, Any]] = GOLDEN["networks"]


@pytest.mark.parametrize("kept", NETWORKS.values(), ids=NETWORKS)
def test_a_golden_network_comes_out_again(kept: dict[str, Any]) -> None:
    compare_with_golden(kept)
