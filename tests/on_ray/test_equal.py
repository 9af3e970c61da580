"""Shards in processes of their own learn what the simulation learns, bit for bit."""

from dataclasses import replace
from typing import Any

import pytest

from changed import ready
from holdfast import attacks
from holdfast.engines.engine_options import Ray
from holdfast.engines.remote import Remote
from holdfast.errors import InvalidInput
from holdfast.runs.experiment import assemble
from holdfast.runs.plan import remake_plan
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from pairs import pairs

BASE = Spec(data="digits", method="rsa", workers=11, rounds=4, eval_every=2, batch=8)
ON_RAY = Ray(shards=2)
BITS, SIDES = "rsa:messages=bits", "watchful-rsa:messages=bits,every=1"
ATTACKED = replace(BASE, byzantine=2, attack="gaussian")

pytest.importorskip("ray")
pytest_plugins = ["warm"]
# Ray leaves its own processes to the collector of garbage
pytestmark = [
    pytest.mark.usefixtures("kept_actors"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def agree(spec: Spec) -> None:
    spec = ready(spec)  # with its numbers, found once: that takes longer than both runs
    there, here = run(replace(spec, engine=ON_RAY)), run(spec)
    assert there.model.tobytes() == here.model.tobytes()
    assert there.history == here.history
    assert (there.bytes_up, there.bytes_down, there.absent) == (here.bytes_up, here.bytes_down, 0)


@pytest.mark.parametrize(("method", "attack"), pairs())
def test_methods_under_attacks(method: str, attack: str) -> None:
    agree(replace(BASE, method=method) if attack == "none" else replace(ATTACKED, method=method, attack=attack))


@pytest.mark.parametrize(
    "method", ["watchful-rsa:every=5", "watchful-rsa:messages=bits,every=5", "watch:every=5+median"]
)
def test_a_master_that_judges(method: str) -> None:
    """In these rounds somebody is left out; the records say so, and are equal."""
    judged = replace(ATTACKED, method=method, byzantine=4, attack="contrarian", partition="by-label")
    judged = replace(judged, rounds=24, eval_every=12)
    watched = run(judged).history[-1].watched
    assert watched is not None
    assert any(each.left_out for each in watched)
    agree(judged)


@pytest.mark.parametrize("method", [BITS, SIDES])
@pytest.mark.parametrize("attack", ["none", *attacks.REGISTRY, "same-value:value=nan"])
def test_bits_under_every_attack(method: str, attack: str) -> None:
    agree(replace(BASE if attack == "none" else replace(ATTACKED, attack=attack), method=method))


@pytest.mark.parametrize(
    "changes",
    [
        {"method": "rsa:norm=2"},
        {"method": "rsa:norm=inf"},
        {"method": "rsa:ties=coin"},
        {"method": "rsa:norm=own_penalty:Huber:delta=0.001,penalty=0.1"},
        {"method": "watchful-rsa:norm=own_penalty:Huber:delta=0.001,penalty=0.1", "attack": "contrarian"},
        {"method": "rsa:messages=bits", "weights": "samples"},
        {"dtype": "float64", "method": BITS},
        {"method": "rsa:reply=updated,local_steps=3"},
        {"dtype": "float64", "method": SIDES},
        {"participation": 0.4, "method": BITS},
        {"participation": 0.4, "method": SIDES},
        {"participation": 0.1, "attack": "duplicate"},  # some rounds ask nobody of a shard
        {"participation": 0.1, "method": BITS},
        {"participation": 0.1, "method": SIDES},
        {"byzantine": (1, 2, 3), "attack": "sign-flip"},
        {"byzantine": 5},  # the second shard has only Byzantine workers, which skip their gradients
        {"byzantine": 5, "attack": "duplicate"},
        {"byzantine": 5, "method": BITS},
        {"byzantine": 5, "method": SIDES},
        {"byzantine_work": "always"},
        {"reduction": "saga", "participation": 0.4},
        {"reduction": "lsvrg", "momentum": 0.5, "method": "median"},
        {"reduction": "saga", "method": "trimmed-mean"},
        {"reduction": "lsvrg"},
        {"method": "rsa-admm", "participation": 0.4},
        {"method": "rsa-admm", "evaluated": "average"},
        {"evaluated": "average"},
        {"weights": "samples", "partition": "dirichlet:alpha=0.3"},
        {"weights": "samples", "partition": "dirichlet:alpha=0.3", "method": "geometric-median"},
        {"method": "ideal-rsa", "byzantine": (2, 6, 7)},
        {"partition": "dirichlet:alpha=0.3"},
        {"method": "rsa:messages=bits,penalty=auto", "rate": "auto"},
        {"workers": 300, "method": BITS, "rounds": 2},
        {"workers": 300, "method": SIDES, "rounds": 2},
    ],
    ids=str,
)
def test_every_variant(changes: dict[str, Any]) -> None:
    agree(replace(ATTACKED, **changes))


def test_x0_is_followed_and_checked_over_many_rounds() -> None:
    """Past rounds 100 and 200, in which the followed x0 is compared with the one sent."""
    agree(replace(ATTACKED, method=BITS, rounds=205, eval_every=205))


def test_bits_cross_as_counts_or_bits_and_models_as_models() -> None:
    """6 and 5 workers: 3 bits per count; 650 coordinates make 88 bytes per plane; models 4 * 650 bytes per worker."""
    up = {}
    for method in ("rsa", BITS, SIDES):
        experiment = assemble(remake_plan(ready(replace(BASE, engine=ON_RAY, method=method))))
        engine = experiment.engine
        assert isinstance(engine, Remote)
        engine.exchange(experiment.program.init(experiment.problem.start()), 0)
        up[method] = engine.crossed_up
        assert engine.crossed_down == 2 * (44 + 2600)
        engine.close()
    assert up == {"rsa": 2 * 44 + 11 * 2600, BITS: 2 * (44 + 3 * 88), SIDES: 2 * 44 + 11 * 88}


def test_more_shards_than_processors_are_refused() -> None:
    with pytest.raises(InvalidInput, match="shards must be at most the 2 processors of the cluster; got 3"):
        run(replace(BASE, engine=Ray(shards=3)))


def test_what_cannot_work_is_said_before_anything_starts() -> None:
    with pytest.raises(InvalidInput, match=r"Krum needs n >= byzantine \+ 3"):
        run(replace(BASE, engine=ON_RAY, method="krum", byzantine=9, attack="gaussian"))
