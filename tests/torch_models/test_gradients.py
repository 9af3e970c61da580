"""Every way gives the loop's gradients, and a worker's bits do not depend on who is served with it."""

from typing import Any

import numpy as np
import pytest
from networks import NETWORKS, around, every_network, identify_problem

from holdfast.problems import ModuleProblem
from holdfast.problems.modules import WAYS
from holdfast.problems.modules.layers import with_channels_last
from holdfast.typing import Rows

every_way = pytest.mark.parametrize("way", WAYS)
EVERYBODY = np.arange(1, 7)


def gradients(problem: ModuleProblem, way: str, models: Rows, chunk: int = 4) -> Rows:
    return problem.using(way, chunk).oracle(EVERYBODY)(models, 7).copy()


@every_network
@every_way
def test_every_way_gives_the_gradients_of_the_loop(model: Any, way: str) -> None:
    problem = identify_problem(model)
    for models in (around(problem, 6), problem.start()):
        expected = gradients(problem, "loop", models)
        assert np.abs(expected).max() > 0
        rounding = 1e-5 * np.abs(expected).max()
        np.testing.assert_allclose(gradients(problem, way, models), expected, rtol=0, atol=rounding)


@every_network
def test_the_loop_gives_what_backward_gives(model: Any) -> None:
    """One worker by hand: a module of its own, its loss, `backward`."""
    import torch

    problem = identify_problem(model, batch=4)
    models = around(problem, 6)
    row = gradients(problem, "loop", models)[2]
    module = problem.module.train()
    torch.nn.utils.vector_to_parameters(
        torch.from_numpy(models[2]), [each for each in module.parameters() if each.requires_grad]
    )
    x, y = problem.minibatches(np.array([3]), 7)
    cost: Any = problem.weight * torch.nn.functional.cross_entropy(module(x[0]), y[0])
    cost.backward()
    expected = np.concatenate([each.grad.numpy().ravel() for each in module.parameters() if each.requires_grad])
    np.testing.assert_allclose(row, expected, rtol=1e-5, atol=1e-7)


@every_network
@every_way
def test_a_worker_alone_gets_the_same_bits(model: Any, way: str) -> None:
    problem = identify_problem(model).using(way, 4)
    models = around(problem, 6)
    for given in (models, models[0]):
        together = problem.oracle(EVERYBODY)(given, 5).copy()
        for some in ([2], [6], [1, 3, 5], [6, 1]):
            at = np.array(some) - 1
            part = given if given.ndim == 1 else given[at]
            assert np.array_equal(problem.oracle(np.array(some))(part, 5), together[at])


@every_way
def test_the_same_bits_again_and_in_a_new_problem(way: str) -> None:
    first, second = (identify_problem(NETWORKS["cnn"]).using(way, 3) for _ in range(2))
    models = around(first, 6)
    before = first.oracle(EVERYBODY)(models, 1).copy()
    first.oracle(EVERYBODY)(models, 2)
    assert np.array_equal(first.oracle(EVERYBODY)(models, 1), before)
    assert np.array_equal(second.oracle(EVERYBODY)(models, 1), before)


@every_way
def test_in_float64(way: str) -> None:
    problem = identify_problem(NETWORKS["cnn"], dtype="float64")
    models = around(problem, 6)
    assert gradients(problem, way, models).dtype == np.float64
    np.testing.assert_allclose(gradients(problem, way, models), gradients(problem, "loop", models), rtol=0, atol=1e-14)


def test_threads_are_as_they_were() -> None:
    import torch

    before = torch.get_num_threads()
    problem = identify_problem(NETWORKS["mlp"])
    problem.oracle(EVERYBODY)(problem.start(), 0)
    problem.evaluate(problem.start())
    assert torch.get_num_threads() == before


@pytest.mark.parametrize("channels", [1, 3])
def test_channels_are_last_behind_a_convolution_too(channels: int) -> None:
    """Of one channel both orders are the same in memory, and PyTorch would go on with channels first."""
    import torch

    images = torch.arange(2.0 * channels * 36).reshape(2, channels, 6, 6)
    turned = with_channels_last(images)
    assert torch.equal(turned, images)
    scores = torch.nn.functional.conv2d(turned, with_channels_last(torch.ones(4, channels, 3, 3)))
    assert scores.is_contiguous(memory_format=torch.channels_last)
