"""A module as a function of a flat vector: its layout, its loss, while it learns and while it is measured."""

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from math import prod

from holdfast.errors import InvalidInput
from holdfast.problems.linear_problem import LinearProblem
from holdfast.problems.modules.pytorch import Module, Tensor, library, one_thread
from holdfast.problems.regressions import LeastSquares, Logistic, Softmax


@dataclass(frozen=True)
class Layout:
    """The trainable parameters in their own order, each row by row: as `torch.nn.utils.parameters_to_vector` has them.

    A parameter that several layers share lies there once; frozen ones are no part of a model.
    """

    shapes: Mapping[str, tuple[int, ...]]

    @staticmethod
    def of(module: Module) -> "Layout":
        shapes = {name: tuple(each.shape) for name, each in module.named_parameters() if each.requires_grad}
        if not shapes:
            raise InvalidInput(f"a model must have parameters to learn; got {type(module).__name__} with none")
        return Layout(shapes)

    @property
    def dimension(self) -> int:
        return sum(map(prod, self.shapes.values()))

    def views(self, flat: Tensor) -> dict[str, Tensor]:
        """Return the parameters of a model `(d,)`, or of stacked ones `(n, d)`, as views of it."""
        at, found = 0, {}
        for name, shape in self.shapes.items():
            size = prod(shape)
            found[name] = flat[..., at : at + size].view(*flat.shape[:-1], *shape)
            at += size
        return found


Loss = Callable[[Tensor, Tensor], Tensor]
"""From scores `(B, outputs)` and targets `(B,)`, both tensors, to the mean loss."""


def cross_entropy(scores: Tensor, targets: Tensor) -> Tensor:
    return library().nn.functional.cross_entropy(scores, targets)


def log_loss(scores: Tensor, targets: Tensor) -> Tensor:
    return library().nn.functional.binary_cross_entropy_with_logits(scores[..., 0], targets.to(scores.dtype))


def half_squared_error(scores: Tensor, targets: Tensor) -> Tensor:
    return 0.5 * library().nn.functional.mse_loss(scores[..., 0], targets.to(scores.dtype))


LOSSES: dict[type[LinearProblem], Loss] = {
    Softmax: cross_entropy,
    Logistic: log_loss,
    LeastSquares: half_squared_error,
}


@dataclass(frozen=True, eq=False)
class Learner:
    """`weight * loss` of a module in training mode.

    Batch normalisation uses the statistics of the worker's own minibatch and keeps none: what it needs to be measured
    is found when it is measured (`holdfast.problems.modules.learner`).
    """

    module: Module
    layout: Layout
    loss: Loss
    weight: float

    @staticmethod
    def of(module: Module, loss: Loss, weight: float) -> "Learner":
        training = deepcopy(module).train()
        for layer in running(training):
            layer.track_running_stats = False
            layer.running_mean = layer.running_var = layer.num_batches_tracked = None
        return Learner(training, Layout.of(module), loss, weight)

    def scores(self, parameters: Mapping[str, Tensor], x: Tensor) -> Tensor:
        return library().func.functional_call(self.module, parameters, (x,))

    def cost(self, parameters: Mapping[str, Tensor], x: Tensor, y: Tensor) -> Tensor:
        """Return the weighted mean loss of samples `(B, ...)`."""
        return self.weight * self.loss(self.scores(parameters, x), y)

    def check(self, flat: Tensor, x: Tensor, y: Tensor) -> None:
        """Refuse a module that draws random numbers or changes while it is used: no address would reproduce it."""
        torch, nn = library(), library().nn
        name = type(self.module).__name__
        for each in self.module.modules():
            if isinstance(each, nn.modules.dropout._DropoutNd) and each.p > 0:
                raise InvalidInput(
                    f"what a model draws must have an address, so that a resumed run can draw it again, and "
                    f"{type(each).__name__}'s has none: set its p to 0; got p={each.p:g} in {name}"
                )
        before = [each.clone() for each in self.module.buffers()]
        with torch.no_grad(), torch.random.fork_rng(devices=[]):
            first, second = (self.scores(self.layout.views(flat), x) for _ in range(2))
            mean = self.loss(first, y)
        if mean.ndim != 0:
            raise InvalidInput(f"a loss must be one number, the mean over samples; got shape {tuple(mean.shape)}")
        if first.ndim != 2 or len(first) != len(x):
            raise InvalidInput(f"a model must return scores ({len(x)}, outputs); got shape {tuple(first.shape)}")
        if not torch.equal(first, second):
            raise InvalidInput(f"a model must return the same scores for the same samples; got others from {name}")
        if not all(map(torch.equal, before, self.module.buffers())):
            raise InvalidInput(f"only batch normalisation may keep buffers that change; got others in {name}")


def running(module: Module) -> list[Module]:
    """Return the layers that keep running statistics."""
    kind = library().nn.modules.batchnorm._NormBase
    return [each for each in module.modules() if isinstance(each, kind) and each.track_running_stats]


BLOCK = 500
"""Samples that are measured at a time."""


class Measure:
    """The scores of a module.

    Batch normalisation has no statistics of its own while workers learn. For a model that is measured they are those
    of training samples at that model, block by block and averaged: a function of the model, so that nothing has to be
    kept, sent or restored, and no worker can lie about them.
    """

    def __init__(self, module: Module, layout: Layout) -> None:
        self._module, self._layout = deepcopy(module).eval(), layout
        self._normalising = running(self._module)

    def scores(self, flat: Tensor, blocks: Iterable[Tensor], training: Iterable[Tensor] = ()) -> Tensor:
        """Return the scores of all samples in these blocks; `training` blocks are those to normalise by."""
        torch, parameters = library(), self._layout.views(flat)
        with one_thread(), torch.no_grad():
            self._normalise(parameters, training)
            found = [torch.func.functional_call(self._module, parameters, (block,)) for block in blocks]
            return torch.cat(found)

    def _normalise(self, parameters: Mapping[str, Tensor], training: Iterable[Tensor]) -> None:
        if not self._normalising:
            return
        for layer in self._normalising:
            layer.reset_running_stats()
            layer.momentum = None  # the average over all blocks
            layer.train()
        for block in training:
            library().func.functional_call(self._module, parameters, (block,))
        for layer in self._normalising:
            layer.eval()
