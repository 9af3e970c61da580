"""Attacks with memory over a transport: their memory is the master's, and so is what they send."""

from typing import Any

import pytest
from small import Setup
from test_remote import agree, same

from holdfast import aggregators
from holdfast.attacks import Delayed, Mimic
from holdfast.methods import Aggregated, Rsa
from holdfast.methods.watchful import WatchfulRsa

METHODS = [
    Rsa(penalty=0.05),
    Rsa(penalty=0.05, messages="bits"),
    WatchfulRsa(penalty=0.05, messages="bits"),
    Aggregated(aggregators.Median()),
]


@pytest.mark.parametrize("attack", [Delayed(rounds=2), Mimic(warm_up=3)], ids=str)
@pytest.mark.parametrize("method", METHODS, ids=str)
@pytest.mark.parametrize("share", [1.0, 0.6])
def test_engines_agree(method: Any, attack: Any, share: float) -> None:
    agree(Setup(method, attack, (3, 6, 7), share=share), members=3, rounds=8)


@pytest.mark.parametrize("attack", [Delayed(rounds=2), Mimic(warm_up=3)], ids=str)
def test_engines_remember_the_same(attack: Any) -> None:
    setup = Setup(METHODS[2], attack, (3, 6))
    here, (there, _) = setup.simulated(), setup.remote(2)
    state = setup.start()
    for round in range(4):
        here.exchange(state, round)
        there.exchange(state, round)
    assert same(here.adversary.memory, there.adversary.memory)
    there.close()
