"""How an engine is chosen."""

import sys
from typing import Any

import pytest

from holdfast.engines.engine_options import REGISTRY, InProcess, Ray
from holdfast.engines.ray import RayTransport
from holdfast.errors import InvalidInput


def test_they_are_written_as_they_are_read() -> None:
    assert repr(Ray(shards=2)) == "Ray(shards=2, address='local', round_timeout=0.0, min_workers=1)"
    assert {"simulated": InProcess, "ray": Ray} == REGISTRY
    assert Ray(shards=3).processes == 3
    assert Ray().processes >= 1


@pytest.mark.parametrize("address", ["local", "auto", "10.0.0.1:6379", "ray://head:10001"])
def test_addresses(address: str) -> None:
    assert Ray(address=address).address == address


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shards": -1}, "shards must be a whole number >= 0; got -1"),
        ({"round_timeout": -1.0}, r"round_timeout must be a number >= 0; got -1\.0"),
        ({"round_timeout": float("nan")}, "round_timeout must be .*; got nan"),
        ({"round_timeout": float("inf")}, "round_timeout must be finite; got inf"),
        ({"min_workers": 0}, "min_workers must be a whole number >= 1; got 0"),
        ({"address": "somewhere"}, "address must be local, auto or HOST:PORT; got 'somewhere'"),
    ],
)
def test_what_cannot_work_is_said(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Ray(**options)


def test_without_ray_one_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InvalidInput, match=r"engine ray needs Ray: pip install 'holdfast\[ray\]'"):
        RayTransport([]).start()
