"""A PyTorch module on nodes that hold their own samples: its parameters are the model, one vector."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from holdfast.errors import InvalidInput
from holdfast.experiments.spec import Spec
from holdfast.federation.engine import Task
from holdfast.federation.tasks import Loader
from holdfast.problems import Problem, Samples
from holdfast.streams import Stream
from holdfast.typing import Oracle, Rows, Vector, Workers


def torch_task(module: Callable[[], Any], loss: Callable[[Any, Any], Any], samples: Loader) -> Task:
    """Return the task of learning a classifier: `module()` makes it, `loss(scores, targets)` is the mean over samples.

    Everyone starts from the parameters that the run's seed gives, in float32.
    """

    def task(spec: Spec, worker: int | None) -> Problem:
        features, targets = samples(worker, spec.workers)
        held = Samples(np.asarray(features, np.float32), np.asarray(targets))
        weight = 1 / spec.workers if spec.weighting == "mean" else 1.0
        own = {} if worker is None else {worker: held}
        network = Network(module, loss, spec.seed)
        return TorchProblem(network, own, spec.workers, spec.batch, weight, held if worker is None else None)

    return task


class Network:
    """A module whose parameters are read from a vector for every gradient; so nothing is left of the last one."""

    def __init__(self, module: Callable[[], Any], loss: Callable[[Any, Any], Any], seed: int) -> None:
        try:
            import torch
        except ImportError:
            raise InvalidInput("a task on PyTorch needs it: pip install torch; got none") from None
        self._torch, self._loss, self.seed = torch, loss, seed
        torch.set_num_threads(1)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._module = module()
        inside = [name for name, buffer in self._module.named_buffers() if buffer.is_floating_point()]
        if inside:
            kind = "statistics of batches belong to a node: use GroupNorm or LayerNorm"
            raise InvalidInput(f"a module must have parameters only, no buffers of numbers ({kind}); got {inside[0]}")
        self.start: Vector = self._flat(self._module.parameters())

    def _flat(self, tensors: Iterable[Any]) -> Any:
        parts = [tensor.detach().reshape(-1).to(self._torch.float32) for tensor in tensors]
        return self._torch.cat(parts).numpy().copy()

    def scores(self, model: Vector, features: Any) -> Any:
        """Return what the module with these parameters makes of features."""
        self._torch.nn.utils.vector_to_parameters(
            self._torch.from_numpy(np.array(model, np.float32)), self._module.parameters()
        )
        return self._module(self._torch.from_numpy(np.ascontiguousarray(features)))

    def loss(self, model: Vector, samples: Samples) -> Any:
        """Return the mean loss on samples, as a number that can be derived."""
        return self._loss(self.scores(model, samples.features), self._torch.from_numpy(np.array(samples.targets)))

    def gradient(self, model: Vector, samples: Samples) -> Vector:
        """Return the gradient of the mean loss."""
        found = self._torch.autograd.grad(self.loss(model, samples), list(self._module.parameters()))
        vector: Vector = self._flat(found)
        return vector


@dataclass(frozen=True)
class TorchProblem:
    """The losses of those workers whose samples are here; times `weight`, as for every problem of ours."""

    network: Network
    samples: Mapping[int, Samples]
    count: int
    batch: int
    weight: float
    test: Samples | None = None

    @property
    def dimension(self) -> int:
        return len(self.network.start)

    @property
    def workers(self) -> Workers:
        return np.arange(1, self.count + 1)

    def start(self) -> Vector:
        return self.network.start.copy()

    def oracle(self, workers: Workers) -> Oracle:
        return Batches(self, workers)

    def objective(self, model: Vector, workers: Iterable[int]) -> float:
        return sum(self.weight * float(self.network.loss(model, self.samples[worker]).detach()) for worker in workers)

    def evaluate(self, model: Vector) -> dict[str, float]:
        if self.test is None:
            return {}
        guesses = self.network.scores(model, self.test.features).argmax(1).numpy()
        return {"accuracy": float(np.mean(guesses == self.test.targets))}


@dataclass(frozen=True)
class Batches:
    """Minibatch gradients, drawn by (seed, worker, round)."""

    problem: TorchProblem
    asked: Workers

    def only(self, workers: Workers) -> "Batches":
        return replace(self, asked=workers)

    def __call__(self, models: Rows, round: int, /) -> Rows:
        problem = self.problem
        stream = Stream(problem.network.seed, "batch")
        sizes = np.array([len(problem.samples[worker].targets) for worker in self.asked.tolist()])
        drawn = stream.integers(self.asked, round, sizes, problem.batch)
        each = np.broadcast_to(models, (len(self.asked), problem.dimension))
        gradients = np.empty_like(each)
        for place, worker in enumerate(self.asked.tolist()):
            held, at = problem.samples[worker], drawn[place]
            batch = Samples(held.features[at], held.targets[at])
            gradients[place] = problem.weight * problem.network.gradient(each[place], batch)
        return gradients
