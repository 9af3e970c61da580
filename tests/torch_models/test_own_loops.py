"""RSA and rules in PyTorch loops of one's own."""

import socket
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from holdfast.aggregators import REGISTRY, CoordinateWise
from holdfast.errors import InvalidInput
from holdfast.problems import ModuleProblem
from holdfast.problems.modules.networks import Mlp
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec

torch: Any = pytest.importorskip("torch")

from holdfast.torch import Anchored, Master, aggregate, ddp_hook  # noqa: E402
from holdfast.torch.tensor_rules import rule_of  # noqa: E402


def python(*words: Any) -> str:
    ended = subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.mark.parametrize("norm", ["1", "2", "inf"])
def test_a_loop_of_ones_own_is_the_simulation(norm: str) -> None:
    """Optimisers and a master by hand go where `run` goes, on the same minibatches."""
    from holdfast.data import Iid, load

    method = f"rsa:norm={norm},penalty=0.01"
    spec = Spec(data="digits", model=Mlp(hidden=8), method=method, workers=4, rate=0.4, schedule="constant", l2=0.001)
    expected = run(Spec(**{**vars(spec), "rounds": 12, "dtype": "float64"})).model
    problem = ModuleProblem.of(load("digits"), Iid(), 4, 32, model=Mlp(hidden=8), dtype="float64", scale=16.0)
    start = torch.from_numpy(problem.start())
    models = [torch.nn.Parameter(start.clone()) for _ in range(4)]
    optimizers = [Anchored(torch.optim.SGD([each], lr=0.4), method) for each in models]
    master = Master(start, method, rate=0.4, l2=0.001)
    oracle = problem.oracle(problem.workers)
    for round in range(12):
        gradients = oracle(np.stack([each.detach().numpy() for each in models]), round)
        messages = torch.stack([each.model for each in optimizers])
        for each, optimizer, gradient in zip(models, optimizers, gradients.copy(), strict=True):
            each.grad = torch.from_numpy(gradient)
            optimizer.step()
        anchor = master.step(messages)
        for optimizer in optimizers:
            optimizer.anchor = anchor
    np.testing.assert_allclose(master.model.numpy(), expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("options", ["messages=bits", "norm=1,ties=coin"])
@pytest.mark.parametrize("method", ["rsa", "watchful-rsa"])
def test_a_master_reads_bits_and_tosses_coins(method: str, options: str) -> None:
    """The models that workers hold go where `run` goes, from the first round on, in which all are tied."""
    from holdfast.data import Iid, load
    from holdfast.methods import Constant, PenalisedWorker, penalty
    from holdfast.problems import Softmax
    from holdfast.typing import Request

    name = f"{method}:{options},penalty=0.07"
    spec = Spec(data="digits", method=name, workers=5, rate=0.001, schedule="constant", l2=0.0, rounds=12, seed=3)
    problem = Softmax.of(load("digits"), Iid(), 5, 32, scale=16.0, seed=3)
    worker, oracle = PenalisedWorker(penalty(1, 0.07), Constant(0.001)), problem.oracle(problem.workers)
    state = worker.init(np.tile(problem.start(), (5, 1)))
    master = Master(torch.from_numpy(problem.start()), name, rate=0.001, seed=3)
    for round in range(12):
        rows, state = worker.step(state, Request(master.model.numpy(), problem.workers, round, 3), oracle)
        master.step(torch.from_numpy(np.array(rows)))
        if round == 0:
            assert master.model.abs().max() > 0, "a coin moves a tied master"
    assert np.array_equal(master.model.numpy(), run(spec).model)


def test_an_optimiser_inside_keeps_its_state_and_its_schedule() -> None:
    layer = torch.nn.Linear(3, 2)
    optimizer = Anchored(torch.optim.SGD(layer.parameters(), lr=0.5, momentum=0.9), "rsa:norm=2,penalty=0.1")
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.1)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = layer(torch.ones(1, 3)).sum()
        loss.backward()
        return loss

    before = layer(torch.ones(1, 3)).sum().item()
    assert optimizer.step(closure).item() == before
    scheduler.step()
    assert optimizer.inner.param_groups[0]["lr"] == pytest.approx(0.05)
    other = torch.nn.Linear(3, 2)
    restored = Anchored(torch.optim.SGD(other.parameters(), lr=0.5, momentum=0.9), "rsa:norm=2,penalty=0.1")
    other.load_state_dict(layer.state_dict())
    restored.load_state_dict(deepcopy(optimizer.state_dict()))
    for each, module in ((optimizer, layer), (restored, other)):
        each.zero_grad()
        module(torch.ones(1, 3)).sum().backward()
        each.step()
    assert torch.equal(layer.weight, other.weight)


@pytest.mark.parametrize("method", ["median", "rsa", "rsa:penalty=auto"])
def test_an_anchor_needs_a_number(method: str) -> None:
    with pytest.raises(InvalidInput, match="Anchored needs rsa with a number as its penalty"):
        Anchored(torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0), method)


@pytest.mark.parametrize("name", REGISTRY)
def test_rules_judge_whole_models(name: str) -> None:
    generator = torch.Generator().manual_seed(0)
    shapes = {"w": (2, 3), "b": (3,)}
    workers = [{name: torch.randn(shape, generator=generator) for name, shape in shapes.items()} for _ in range(7)]
    workers[6] = {key: 1e3 * value for key, value in workers[6].items()}
    found = aggregate(workers, name, byzantine=1)
    rows = torch.stack([torch.cat([each["w"].reshape(-1), each["b"]]) for each in workers])
    assert found["w"].shape == (2, 3)
    assert torch.equal(torch.cat([found["w"].reshape(-1), found["b"]]), rule_of(name, 1)(rows))
    assert torch.equal(aggregate([list(each.values()) for each in workers], name, byzantine=1)[1], found["b"])


def test_a_rule_may_stand_behind_stages() -> None:
    """Of 0, 1, 2 and 99 the nearest three are averaged: 1, 1, 1 and (1 + 2 + 99) / 3 = 34, of which the median is 1."""
    workers = [[torch.tensor([each])] for each in (0.0, 1.0, 2.0, 99.0)]
    assert aggregate(workers, "nnm+median", byzantine=1) == [torch.tensor([1.0])]
    assert aggregate(workers, "nnm+mean", byzantine=1) == [torch.tensor([37 / 4])]
    with pytest.raises(InvalidInput, match="each bucket holds part of a model"):
        ddp_hook("nnm+median", byzantine=1)


def test_what_cannot_be_aggregated() -> None:
    with pytest.raises(InvalidInput, match="same shapes; got 2 workers that differ"):
        aggregate([[torch.zeros(2)], [torch.zeros(3)]], "median")
    with pytest.raises(InvalidInput, match=r"a rule on rows is needed.*got rsa"):
        aggregate([[torch.zeros(2)]], "rsa")
    with pytest.raises(InvalidInput, match="messages must have length 2; got 3"):
        Master(torch.zeros(2), "median", rate=1.0).step(torch.zeros(4, 3))


@pytest.mark.parametrize("name", REGISTRY)
def test_a_hook_takes_coordinate_wise_rules_only(name: str) -> None:
    if issubclass(REGISTRY[name], CoordinateWise):
        assert callable(ddp_hook(name, byzantine=1))
    else:
        with pytest.raises(InvalidInput, match="each bucket holds part of a model"):
            ddp_hook(name, byzantine=1)


def test_a_hook_in_ddp() -> None:
    python(Path(__file__).with_name("ddp_child.py"), free_port())


def test_four_processes_one_of_them_byzantine() -> None:
    printed = python(Path(__file__).parents[2] / "examples/torch/four_processes.py")
    assert float(printed.removeprefix("accuracy ")) > 0.9
