"""A PyTorch module as a task: its nodes together are what one process with all samples would be."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from test_nodes import Local, played

from holdfast.errors import InvalidInput
from holdfast.federation.checkpoint_files import Node
from holdfast.federation.federated_training import build_station
from holdfast.federation.tasks import simulate, torch_task
from holdfast.runs.plan import fill_defaults
from holdfast.runs.spec import Spec

SPEC = fill_defaults(Spec(workers=3, rounds=3, batch=4, method="rsa:penalty=0.02,local_steps=2", rate=0.1))


def module() -> Any:
    return torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.Tanh(), torch.nn.Linear(4, 3))


def samples(worker: int | None, workers: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(worker or 0)
    return generator.normal(size=(20, 5)), generator.integers(0, 3, 20)


@pytest.mark.parametrize("attack", [None, "sign-flip"])
def test_nodes_equal_one_process(attack: str | None, tmp_path: Path) -> None:
    task = torch_task(module, 3, samples)
    carrier = Local(SPEC, tmp_path)
    attacks = (None, None, attack)
    carrier.nodes = [
        Node(tmp_path / str(n), partial(build_station, SPEC, n, task, attacks[n - 1]))
        for n in range(1, SPEC.workers + 1)
    ]
    rounds = played(SPEC, carrier, task=task)
    here = simulate(SPEC, task, attack, 0 if attack is None else 1)
    assert rounds[-1].model.tobytes() == here.model.tobytes()
    assert rounds[-1].metrics["accuracy"] == here.accuracy


def test_a_server_and_its_nodes_begin_alike_and_a_server_has_no_samples() -> None:
    task = torch_task(module, 3, samples)
    server, node = task(SPEC, None), task(SPEC, 2)
    assert server.start().tobytes() == node.start().tobytes()
    assert dict(node.evaluate(node.start())) == {}
    with pytest.raises(InvalidInput, match="every worker needs at least one sample; got none for worker 1"):
        server.oracle(np.array([1]))(server.start(), 0)


def test_statistics_of_batches_are_refused() -> None:
    def normalised() -> Any:
        return torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.BatchNorm1d(4))

    with pytest.raises(InvalidInput, match=r"must keep no statistics of batches: .*; got BatchNorm1d"):
        torch_task(normalised, 4, samples)(SPEC, 1)
