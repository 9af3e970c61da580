"""Small networks to try things on, and images for them."""

from typing import Any

import numpy as np
import pytest

from holdfast.data import Dataset, Iid
from holdfast.problems import ModuleProblem
from holdfast.problems.modules.networks import Cnn, Linear, Mlp, ResNet8

torch = pytest.importorskip("torch")


def normalised(shape: tuple[int, ...], outputs: int) -> Any:
    """A network with batch normalisation, twice."""
    nn = torch.nn
    return nn.Sequential(
        nn.Conv2d(shape[0], 4, 3, padding=1),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(4 * shape[1] * shape[2], 12),
        nn.BatchNorm1d(12),
        nn.ReLU(inplace=True),
        nn.Linear(12, outputs),
    )


def tied(shape: tuple[int, ...], outputs: int) -> Any:
    """A network that uses one layer twice, and one parameter without a layer."""
    nn = torch.nn

    class Tied(nn.Module):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            super().__init__()
            size = int(np.prod(shape))
            self.inner, self.outer = nn.Linear(size, size), nn.Linear(size, outputs)
            self.frozen = nn.Parameter(torch.ones(size), requires_grad=False)

        def forward(self, x: Any) -> Any:
            x = x.flatten(1) * self.frozen
            return self.outer(torch.tanh(self.inner(torch.tanh(self.inner(x)))))

    return Tied()


NETWORKS: dict[str, Any] = {
    "softmax": Linear(),
    "mlp": Mlp(hidden=16, depth=2),
    "cnn": Cnn(first=4, second=6, hidden=10, kernel=3, padding=1),
    "strided": Cnn(first=4, second=6, hidden=10, kernel=2, halve="strides"),
    "resnet8": ResNet8(width=8),
    "batch-normalised": normalised,
    "tied": tied,
}
every_network = pytest.mark.parametrize("model", NETWORKS.values(), ids=NETWORKS)


def images(samples: int = 300, side: int = 8) -> Dataset:
    """Images of bytes in 3 classes, each class brighter in its own rows."""
    generator = np.random.default_rng(1)
    targets = np.arange(samples) % 3
    pixels = generator.integers(0, 120, (samples, side, side))
    pixels[np.arange(samples), targets] += 100
    cut = samples * 4 // 5
    pixels = pixels.astype(np.uint8)
    return Dataset("images", pixels[:cut], targets[:cut], pixels[cut:], targets[cut:])


def identify_problem(model: Any, workers: int = 6, batch: int = 5, **options: Any) -> ModuleProblem:
    return ModuleProblem.of(images(), Iid(), workers, batch, model=model, seed=3, **options)


def around(problem: ModuleProblem, n: int) -> Any:
    """Return models around the start."""
    start = problem.start()
    return start + 0.05 * np.random.default_rng(2).normal(size=(n, len(start))).astype(start.dtype)
