"""A PyTorch module as a task: its nodes together are what one process with all samples would be."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from test_nodes import Local, played

from holdfast import simulate
from holdfast.errors import InvalidInput
from holdfast.experiments import Spec
from holdfast.experiments.defaults import resolved
from holdfast.federation.engine import station
from holdfast.federation.node import Node
from holdfast.federation.torch_task import Network, TorchProblem, torch_task
from holdfast.problems import Samples

SPEC = resolved(Spec(workers=3, rounds=3, batch=4, method="rsa:penalty=0.02,local_steps=2", rate=0.1))
LOSS = torch.nn.functional.cross_entropy


def module() -> Any:
    return torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.Tanh(), torch.nn.Linear(4, 3))


def samples(worker: int | None, workers: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(worker or 0)
    return generator.normal(size=(20, 5)), generator.integers(0, 3, 20)


def test_the_gradient_is_that_of_the_loss() -> None:
    problem = torch_task(module, LOSS, samples)(replace(SPEC, batch=500), 2)
    model, step = problem.start(), 1e-2
    gradient = problem.oracle(np.array([2]))(model, 0)[0]
    slope = [
        (problem.objective(model + step * unit, [2]) - problem.objective(model - step * unit, [2])) / (2 * step)
        for unit in np.eye(len(model), dtype=np.float32)
    ]
    assert np.abs(gradient - slope).max() < 0.1 * np.abs(gradient).max()  # 500 draws from 20 samples


def test_nodes_equal_one_process(tmp_path: Path) -> None:
    task = torch_task(module, LOSS, samples)
    carrier = Local(SPEC, tmp_path)
    carrier.nodes = [Node(tmp_path / str(n), partial(station, SPEC, n, task)) for n in (1, 2, 3)]
    rounds = played(SPEC, carrier, task=task)
    held = {n: Samples(f.astype(np.float32), t) for n in (1, 2, 3) for f, t in [samples(n, 3)]}
    everyone = TorchProblem(Network(module, LOSS, SPEC.seed), held, 3, SPEC.batch, 1 / 3)
    here = simulate(everyone, SPEC.method, rounds=3, rate=0.1, eval_every=3)
    assert rounds[-1].model.tobytes() == here.model.tobytes()
    assert 0 <= rounds[-1].metrics["accuracy"] <= 1


def test_statistics_of_batches_are_refused() -> None:
    with pytest.raises(InvalidInput, match="a module must have parameters only, no buffers of numbers"):
        Network(lambda: torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.BatchNorm1d(4)), LOSS, 0)
