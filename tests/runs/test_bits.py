"""l1-RSA in one bit a coordinate is l1-RSA on full models in which a coin decides ties."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from changed import ready, with_options
from holdfast import attacks
from holdfast.errors import InvalidInput
from holdfast.methods import Served
from holdfast.runs.experiment import assemble
from holdfast.runs.plan import remake_plan
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.typing import Tally

BASE = Spec(data="digits", method="rsa:norm=1", workers=10, rounds=8, eval_every=4, batch=8)
ATTACKED = replace(BASE, byzantine=3, attack="gaussian")


@pytest.mark.parametrize("attack", ["none", *attacks.REGISTRY, "same-value:value=nan", "same-value:value=0"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_bits_learn_what_models_without_ties_learn_bit_for_bit(attack: str, dtype: Any) -> None:
    spec = replace(BASE if attack == "none" else replace(ATTACKED, attack=attack), dtype=dtype)
    bits, full = run(with_options(spec, messages="bits")), run(with_options(spec, ties="coin"))
    assert bits.model.tobytes() == full.model.tobytes()
    unheard = [replace(each, disagreement=None, twins=None) for each in full.history]  # a tally names nobody
    assert bits.history == unheard


@pytest.mark.parametrize(
    "changes",
    [
        {"method": "rsa:norm=1,reply=updated"},
        {"method": "rsa:norm=1,local_steps=3"},
        {"participation": 0.5},
        {"method": "ideal-rsa:norm=1"},
        {"workers": 300, "rounds": 3},
        {"momentum": 0.9},
        {"method": "rsa:norm=1,reply=updated,local_steps=2", "participation": 0.4, "schedule": "constant"},
    ],
    ids=str,
)
def test_that_holds_for_every_variant(changes: dict[str, Any]) -> None:
    spec = replace(ATTACKED, **changes)
    bits, full = run(with_options(spec, messages="bits")), run(with_options(spec, ties="coin"))
    assert bits.model.tobytes() == full.model.tobytes()


def test_the_first_round_moves_by_tosses_and_not_by_a_drift() -> None:
    """All 650 coordinates tie. Ties sent as +1 would move each by -rate * 10 * penalty; tosses average out.

    The mean of 650 * 10 signs lies within 4 / sqrt(6500) = 0.05.
    """
    spec = replace(BASE, rounds=1, method="rsa:norm=1,penalty=0.5", rate=1.0, schedule="constant")
    moved = run(with_options(spec, messages="bits")).model / (1.0 * 0.5 * 10)
    assert abs(moved.mean()) < 0.05
    assert np.abs(moved).max() > 0.3
    assert not run(spec).model.any()  # with ties at 0 nobody pulls


def test_attackers_that_send_nan_say_bit_0() -> None:
    """NaN is not below x0, so it pulls as whoever is far above: sign -1."""
    spec = replace(ATTACKED, method="rsa:messages=bits")
    nan, above = (run(replace(spec, attack=f"same-value:value={value}")) for value in ("nan", "1e30"))
    assert nan.model.tobytes() == above.model.tobytes()


def test_a_bit_a_coordinate_up_and_a_count_down() -> None:
    """650 coordinates: 88 bytes of bits; 10 voters need 4 bits; full x0 at the start only, of 8 rounds."""
    result = run(replace(BASE, method="rsa:messages=bits"))
    assert result.bytes_up == 44 + 88
    assert result.bytes_down == round(((44 + 4 * 650) + 7 * (44 + 4 * 88)) / 8)
    long = run(
        replace(BASE, method="rsa:messages=bits", rounds=201, eval_every=201, participation=0.3)
    )  # 3 voters, 2 bits
    assert long.bytes_down == round((3 * (44 + 4 * 650) + 200 * (44 + 2 * 88)) / 201)


def test_bits_make_a_tally_of_everyone_who_was_asked() -> None:
    experiment = assemble(remake_plan(ready(replace(BASE, method="rsa:messages=bits", participation=0.55))))
    tally = experiment.engine.exchange(Served(experiment.problem.start()), 0).rows
    assert isinstance(tally, Tally)
    assert tally.voters == 6  # ceil(5.5)
    assert tally.ones.max() <= 6


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"method": "rsa:messages=bits,norm=2"}, "need norm 1; got norm=2"),
        ({"method": "rsa:ties=coin,norm=3"}, "need norm 1; got norm=3"),
        ({"method": "rsa:messages=bits,ties=zero"}, "bits need ties=coin; got ties=zero"),
        ({"participation": 0.0}, "participation must be a number > 0 and <= 1; got 0.0"),
        ({"participation": 1.5}, "participation must be a number > 0 and <= 1; got 1.5"),
        ({"method": "rsa:local_steps=0"}, "local_steps of method 'rsa' must be a whole number >= 1; got '0'"),
    ],
)
def test_what_cannot_be_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        run(replace(BASE, **changes))


@pytest.mark.parametrize("option", ["messages=bits", "local_steps=4", "norm=2", "ties=coin", "reply=updated"])
def test_gradient_methods_refuse_options_of_rsa(option: str) -> None:
    """They used to be taken and to have no effect."""
    key = option.partition("=")[0]
    with pytest.raises(InvalidInput, match=f"method 'sgd' takes no options; got {key}"):
        replace(BASE, method=f"sgd:{option}")
    with pytest.raises(InvalidInput, match=f"unknown option of method 'krum' '{key}'; known: byzantine"):
        replace(BASE, method=f"krum:{option}")


@pytest.mark.parametrize("method", ["sgd", "krum"])
def test_gradient_methods_send_whole_gradients(method: str) -> None:
    assert run(replace(BASE, method=method)).bytes_up == 44 + 4 * 650
