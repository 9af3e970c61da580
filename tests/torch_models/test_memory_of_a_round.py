"""A round of RSA makes gradients and new models, with momentum their average: no other array as large as all models."""

import tracemalloc
from dataclasses import replace

import pytest
from networks import images

from holdfast.engines.engine import train
from holdfast.problems.modules.networks import Mlp
from holdfast.runs.experiment import assemble
from holdfast.runs.plan import fill_defaults, remake_plan
from holdfast.runs.spec import Spec

WORKERS = 12


@pytest.mark.parametrize("attack", [None, "sign-flip"])
@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize("norm", [1, 2])
def test_a_round_makes_no_more_arrays_of_the_size_of_all_models(norm: int, momentum: float, attack: str | None) -> None:
    method = f"rsa:norm={norm},penalty=0.01"
    spec = Spec(data=images(), model=Mlp(hidden=2000), method=method, momentum=momentum, workers=WORKERS, rate=0.1)
    if attack:
        spec = replace(spec, attack=attack, byzantine=2)
    experiment = assemble(remake_plan(fill_defaults(spec)))
    start = experiment.problem.start()
    rounds = train(experiment.program, experiment.engine, experiment.program.init(start), range(100))
    for _ in range(4):
        next(rounds)
    tracemalloc.start()
    try:
        for _ in range(3):
            before = tracemalloc.get_traced_memory()[0]
            tracemalloc.reset_peak()
            next(rounds)
            made = (tracemalloc.get_traced_memory()[1] - before) / (WORKERS * start.nbytes)
            assert made < (3.5 if momentum else 2.5)
    finally:
        tracemalloc.stop()
