"""What every method's recipe keeps to: it says of the method what the method does."""

import pytest

from holdfast.methods import REGISTRY, Settings
from holdfast.methods.penalties import L1
from holdfast.methods.priors import Ridge
from holdfast.methods.schedules import Constant
from holdfast.methods.workers import PenalisedWorker

TOLD = Settings(L1(0.1), Constant(0.1), Ridge(0.01), byzantine=1, reply="current", steps=1, bits=False)


@pytest.mark.parametrize("name", REGISTRY)
def test_penalised_methods_are_those_whose_workers_keep_models(name: str) -> None:
    recipe = REGISTRY[name]
    assert recipe.penalised == isinstance(recipe.build(TOLD).worker, PenalisedWorker)
