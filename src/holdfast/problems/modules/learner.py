"""A module as a function of its parameters, while it learns and while it is measured."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from holdfast.errors import InvalidInput
from holdfast.problems.modules.layout import Layout
from holdfast.problems.modules.library import library
from holdfast.problems.modules.losses import Loss


@dataclass(frozen=True, eq=False)
class Learner:
    """`weight * loss` of a module in training mode.

    Batch normalisation uses the statistics of the worker's own minibatch and keeps none: what it needs to be measured
    is found when it is measured (`holdfast.problems.modules.measuring`).
    """

    module: Any
    layout: Layout
    loss: Loss
    weight: float

    @staticmethod
    def of(module: Any, loss: Loss, weight: float) -> "Learner":
        training = deepcopy(module).train()
        for layer in running(training):
            layer.track_running_stats = False
            layer.running_mean = layer.running_var = layer.num_batches_tracked = None
        return Learner(training, Layout.of(module), loss, weight)

    def scores(self, parameters: Mapping[str, Any], x: Any) -> Any:
        return library().func.functional_call(self.module, parameters, (x,))

    def cost(self, parameters: Mapping[str, Any], x: Any, y: Any) -> Any:
        """Return the weighted mean loss of samples `(B, ...)`."""
        return self.weight * self.loss(self.scores(parameters, x), y)

    def check(self, flat: Any, x: Any, y: Any) -> None:
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


def running(module: Any) -> list[Any]:
    """Return the layers that keep running statistics."""
    kind = library().nn.modules.batchnorm._NormBase
    return [each for each in module.modules() if isinstance(each, kind) and each.track_running_stats]
