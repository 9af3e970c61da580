"""Ways to the gradients of several workers. All give the same numbers up to rounding; which is fastest depends."""

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, Protocol

from holdfast.problems.modules.layered import Layered
from holdfast.problems.modules.layers import with_channels_last
from holdfast.problems.modules.learner import Learner
from holdfast.problems.modules.library import library


class Way(Protocol):
    """What computes the gradients of a group of workers."""

    @property
    def together(self) -> bool:
        """Whether a worker's last bits may depend on its place in the group, and on how many there are."""

    @property
    def channels_last(self) -> bool:
        """Whether the module is shown images with their channels last; it is measured as it is learned with."""

    def __call__(self, models: Any, x: Any, y: Any, out: Any) -> None:
        """Put the gradients at `models`, `(n, d)` or one `(d,)` for all, into `out`, `(n, d)`."""


class Loop:
    """One worker after another; with channels_last, images have their channels last."""

    together = False

    def __init__(self, learner: Learner, channels_last: bool = False) -> None:
        self._learner, self.channels_last = learner, channels_last

    def __call__(self, models: Any, x: Any, y: Any, out: Any) -> None:
        for row, (samples, targets) in enumerate(zip(x, y, strict=True)):
            self._gradient(models if models.ndim == 1 else models[row], samples, targets, out[row])

    def _gradient(self, model: Any, x: Any, y: Any, out: Any) -> None:
        layout = self._learner.layout
        used = parameters = {name: each.requires_grad_() for name, each in layout.views(model).items()}
        if self.channels_last:
            used, x = {name: with_channels_last(each) for name, each in parameters.items()}, with_channels_last(x)
        gradients = library().autograd.grad(
            self._learner.cost(used, x, y), list(parameters.values()), allow_unused=True, materialize_grads=True
        )
        for place, gradient in zip(layout.views(out).values(), gradients, strict=True):
            place.copy_(gradient)


class Stacked:
    """All workers at once, through `torch.func.vmap`."""

    together = True
    channels_last = False

    def __init__(self, learner: Learner) -> None:
        self._learner = learner

    @cached_property
    def _own(self) -> Any:
        func = library().func
        return func.vmap(func.grad(self._learner.cost))

    @cached_property
    def _shared(self) -> Any:
        func = library().func
        return func.vmap(func.grad(self._learner.cost), in_dims=(None, 0, 0))

    def __call__(self, models: Any, x: Any, y: Any, out: Any) -> None:
        layout = self._learner.layout
        found = (self._shared if models.ndim == 1 else self._own)(layout.views(models), x, y)
        for name, place in layout.views(out).items():
            place.copy_(found[name])


WAYS: dict[str, Callable[[Learner], Way]] = {
    "loop": Loop,
    "loop-channels-last": partial(Loop, channels_last=True),
    "stacked": Stacked,
    "layered": Layered,
    "layered-channels-last": partial(Layered, channels_last=True),
}
