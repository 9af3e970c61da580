"""Shards in processes of their own learn what the simulation learns, bit for bit."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from holdfast import attacks, methods
from holdfast.errors import InvalidInput
from holdfast.experiments import Spec, run
from holdfast.experiments.assembly import assemble
from holdfast.experiments.defaults import resolved
from holdfast.experiments.sharding import sharded

BASE = Spec(data="digits", workers=11, rounds=4, eval_every=2, batch=8, shards=2)
ATTACKED = replace(BASE, byzantine=3, attack="gaussian")

pytest.importorskip("ray")
pytest_plugins = ["warm"]
# Ray leaves its own processes to the collector of garbage
pytestmark = [
    pytest.mark.usefixtures("kept_actors"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def agree(spec: Spec) -> None:
    there, here = run(replace(spec, engine="ray")), run(spec)
    assert there.model.tobytes() == here.model.tobytes()
    assert there.history == here.history
    assert (there.bytes_up, there.bytes_down, there.absent) == (here.bytes_up, here.bytes_down, 0)


@pytest.mark.parametrize("attack", ["none", *attacks.REGISTRY])
@pytest.mark.parametrize("method", methods.REGISTRY)
def test_every_method_under_every_attack(method: str, attack: str) -> None:
    agree(replace(BASE, method=method) if attack == "none" else replace(ATTACKED, method=method, attack=attack))


@pytest.mark.parametrize("attack", ["none", *attacks.REGISTRY, "same-value:value=nan"])
def test_bits_under_every_attack(attack: str) -> None:
    agree(replace(BASE if attack == "none" else replace(ATTACKED, attack=attack), messages="bits"))


@pytest.mark.parametrize(
    "changes",
    [
        {"norm": 2.0},
        {"norm": float("inf")},
        {"ties": "coin"},
        {"dtype": "float64", "messages": "bits"},
        {"reply": "updated", "local_steps": 3},
        {"participation": 0.4, "messages": "bits"},
        {"participation": 0.1, "attack": "duplicate"},  # some rounds ask nobody of a shard
        {"participation": 0.1, "messages": "bits"},
        {"liars": (1, 2, 3), "attack": "sign-flip"},
        {"byzantine": 5},  # the second shard has nobody but liars, who have nothing to do
        {"byzantine": 5, "attack": "duplicate"},
        {"byzantine": 5, "messages": "bits"},
        {"liars_work": "always"},
        {"method": "ideal-rsa", "liars": (2, 6, 7)},
        {"partition": "dirichlet:alpha=0.3"},
        {"penalty": "auto", "rate": "auto", "messages": "bits"},
        {"workers": 300, "messages": "bits", "rounds": 2},
    ],
    ids=str,
)
def test_every_variant(changes: dict[str, Any]) -> None:
    agree(replace(ATTACKED, **changes))


def test_x0_is_followed_and_checked_over_many_rounds() -> None:
    """Past rounds 100 and 200, in which the followed x0 is compared with the one sent."""
    agree(replace(ATTACKED, messages="bits", rounds=205, eval_every=205))


def test_bits_cross_as_counts_and_models_as_models() -> None:
    """6 and 5 workers: 3 bits a count; 650 coordinates make 88 bytes a plane; models 4 * 650 bytes a worker."""
    up = {}
    for messages in ("bits", "full"):
        spec = resolved(replace(BASE, engine="ray", messages=messages))
        fleet = sharded(spec, assemble(spec).method, np.arange(1, 12))
        fleet.exchange(assemble(spec).problem.start(), 0)
        up[messages] = fleet.crossed_up
        assert fleet.crossed_down == 2 * (44 + 2600)
        fleet.close()
    assert up == {"bits": 2 * (44 + 3 * 88), "full": 2 * 44 + 11 * 2600}


def test_more_shards_than_processors_are_refused() -> None:
    with pytest.raises(InvalidInput, match="shards must be at most the 2 processors of the cluster; got 3"):
        run(replace(BASE, engine="ray", shards=3))


def test_what_cannot_work_is_said_before_anything_starts() -> None:
    with pytest.raises(InvalidInput, match=r"Krum needs n >= byzantine \+ 3"):
        run(replace(BASE, engine="ray", method="krum", byzantine=9, attack="gaussian"))
