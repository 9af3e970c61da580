"""Learning with any `torch.nn.Module`."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Self

import numpy as np
from numpy.typing import DTypeLike

from holdfast.data import Dataset, Partition
from holdfast.errors import InvalidInput
from holdfast.problems.linear_problem import LinearProblem
from holdfast.problems.modules.gradient_ways import WAYS, Way
from holdfast.problems.modules.layers import with_channels_last
from holdfast.problems.modules.learner import BLOCK, LOSSES, Learner, Loss, Measure
from holdfast.problems.modules.networks import new_module
from holdfast.problems.modules.oracle import ModuleOracle, shared_memory
from holdfast.problems.modules.pytorch import Module, Tensor, library, one_thread
from holdfast.problems.modules.tensor_batches import Augment, Scaling, TensorBatches, as_images
from holdfast.problems.protocols import Score
from holdfast.problems.regressions import Softmax
from holdfast.problems.worker_samples import SampledProblem, Samples, Shards
from holdfast.streams import Stream
from holdfast.typing import Features, Targets, Vector, Workers

CHUNK = 4
"""Workers whose gradients are computed at a time."""
MOST = 512
"""Training samples of a worker, evenly spaced, that its loss is measured on: all of them would take longer than
learning does."""
NORMALISING = 32
"""Training samples of each worker that batch normalisation is measured with."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ModuleProblem(SampledProblem):
    """A problem whose scores are a module's.

    A model is the vector of the module's trainable parameters (`Layout`), and what the module computes with is a view
    of it. `model` makes the module, whose start is drawn by (seed, "model").
    """

    model: Callable[..., Module]
    kind: type[LinearProblem]
    """The linear problem that defines targets, number of scores, and measures."""
    loss: Loss
    scaling: Scaling
    augment: Augment = "none"
    device: str = "cpu"
    way: str = "loop"
    chunk: int = CHUNK

    @classmethod
    def of(
        cls,
        data: Dataset,
        partition: Partition,
        workers: int = 20,
        batch: int = 32,
        *,
        model: Callable[..., Module],
        kind: type[LinearProblem] = Softmax,
        loss: Loss | None = None,
        normalise: Literal["mean-std", "none"] = "mean-std",
        augment: Augment = "none",
        device: str = "cpu",
        scale: float = 1.0,
        weight: float | None = None,
        dtype: DTypeLike = np.float32,
        seed: int = 0,
    ) -> Self:
        """Return the problem of learning from data dealt to this many workers; `weight` is 1 / workers if not given."""
        data = kind.prepare(data)
        generator = Stream(seed, "partition").generator()
        parts = partition.deal(data.train_targets, workers, generator)
        features = partition.seen(as_images(data.train_features), parts, generator)
        return cls(
            Shards.deal(features, data.train_targets, parts, scale, dtype),
            kind.outputs_for(data),
            batch,
            1 / workers if weight is None else weight,
            seed,
            Samples(as_images(data.test_features), data.test_targets),
            data.unit,
            model=model,
            kind=kind,
            loss=loss or LOSSES[kind],
            scaling=Scaling.standard(features) if normalise == "mean-std" else Scaling.plain(scale),
            augment=augment,
            device=device,
        )

    def __post_init__(self) -> None:
        if self.batch < 1 or self.chunk < 1:
            raise InvalidInput(f"batch and chunk must be at least 1; got {self.batch} and {self.chunk}")
        if self.way not in WAYS:
            raise InvalidInput(f"gradients must be one of {', '.join(WAYS)}; got {self.way!r}")

    # -- the module --------------------------------------------------------------------------------------------------

    @cached_property
    def module(self) -> Module:
        """The module at its start, of the working type, where it is computed."""
        torch = library()
        if self.device != "cpu" and not getattr(torch, self.device).is_available():
            raise InvalidInput(f"device must be one that PyTorch finds here; got {self.device}")
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(Stream(self.seed, "model").key)
            module = new_module(self.model, tuple(self.shards.features.shape[1:]), self.outputs)
        return module.to(dtype=getattr(torch, np.dtype(self.shards.dtype).name), device=self.device)

    @cached_property
    def learner(self) -> Learner:
        """The module while it learns."""
        learner = Learner.of(self.module, self.loss, self.weight)
        first = next(worker for worker in self.workers if len(self.shards.of(worker)[1]))
        x, y = self.minibatches(np.array([first]), 0)
        with one_thread():
            learner.check(shared_memory(self.start()).to(self.device), x[0], y[0])
        return learner

    @cached_property
    def gradients(self) -> Way:
        """What computes the gradients of a group of workers."""
        return WAYS[self.way](self.learner)

    @cached_property
    def minibatches(self) -> TensorBatches:
        """What draws a group's samples."""
        return TensorBatches(self.shards, self.scaling, self.batch, self.seed, self.augment, self.device)

    def using(self, way: str, chunk: int) -> Self:
        """Return the same problem with its gradients computed in another way: the last bits may differ."""
        if (way, chunk) == (self.way, self.chunk):
            return self  # and what is known of it stays known
        changed = replace(self, way=way, chunk=chunk)
        for made in ("module", "learner", "minibatches", "_measure"):
            if made in vars(self):
                vars(changed)[made] = vars(self)[made]
        return changed

    # -- the protocol ------------------------------------------------------------------------------------------------

    @property
    def classifies(self) -> bool:
        """Whether targets are classes, so that models are right or wrong."""
        return self.kind.classifies

    @property
    def score(self) -> Score:
        """The measure by which models are compared: that of the linear problem of this loss."""
        return self.kind.score

    @property
    def dimension(self) -> int:
        return self.learner.layout.dimension

    def start(self) -> Vector:
        """Return the module's own start: as its layers draw their parameters, from the stream (seed, "model")."""
        trained = [each for each in self.module.parameters() if each.requires_grad]
        return np.concatenate([each.detach().cpu().numpy().ravel() for each in trained])

    def oracle(self, workers: Workers) -> ModuleOracle:
        return ModuleOracle(self, np.asarray(workers, dtype=np.int64))

    def objective(self, model: Vector, workers: Iterable[int]) -> float:
        """Return the sum of these workers' losses, each on at most `MOST` samples of its own."""
        total = 0.0
        for worker in workers:
            features, targets = _space_evenly(self.shards.of(worker), MOST)
            with one_thread(), library().no_grad():
                mean = self.loss(self._scores(model, features), self._targets(targets))
            total += self.weight * float(mean)
        return total

    def measure(self, model: Vector, features: Features, targets: Targets) -> dict[str, float]:
        """Return the measures of a model on some samples: those of the linear problem of this loss."""
        return self.kind.measure_scores(self._scores(model, features).cpu().numpy(), targets, self.unit)

    # -- measuring ---------------------------------------------------------------------------------------------------

    @cached_property
    def _measure(self) -> Measure:
        return Measure(self.module, self.learner.layout)

    def _scores(self, model: Vector, features: Features) -> Tensor:
        flat = shared_memory(model).to(self.device)
        training = (_space_evenly(self.shards.of(worker), NORMALISING)[0] for worker in self.workers)
        return self._measure.scores(flat, self._blocks(features), (x for each in training for x in self._blocks(each)))

    def _blocks(self, features: Features) -> Iterator[Tensor]:
        for start in range(0, len(features), BLOCK):
            block = library().from_numpy(np.ascontiguousarray(features[start : start + BLOCK]))
            scaled = self.minibatches.scale(block)
            yield with_channels_last(scaled) if self.gradients.channels_last else scaled

    def _targets(self, targets: Targets) -> Tensor:
        kept = targets if targets.dtype.kind == "f" else targets.astype(np.int64)
        return library().from_numpy(np.ascontiguousarray(kept)).to(self.device)


def _space_evenly(samples: tuple[Features, Targets], most: int) -> tuple[Features, Targets]:
    features, targets = samples
    if len(targets) <= most:
        return features, targets
    at = np.linspace(0, len(targets) - 1, most).astype(np.int64)
    return features[at], targets[at]
