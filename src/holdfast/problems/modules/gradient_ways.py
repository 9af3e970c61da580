"""Gradients of several workers layer by layer: one pass over all samples, each layer with every worker's parameters.

Only layers that have parameters know that there are workers; between them samples are just samples. On the way back
each layer puts the workers' gradients where they belong in the flat rows, so that no other array of them is made.
"""

from collections.abc import Callable
from copy import deepcopy
from functools import cache, partial
from typing import Any, Protocol

from holdfast.problems.modules.layers import Layer, Pass, layer_for, with_channels_last
from holdfast.problems.modules.learner import Learner
from holdfast.problems.modules.pytorch import Module, Tensor, library


class Layered:
    """A learner's module with layers that compute for several workers at once."""

    together = True

    def __init__(self, learner: Learner, channels_last: bool = False) -> None:
        torch = library()
        self._learner, self.channels_last = learner, channels_last
        self._module = deepcopy(learner.module)
        self._anchor = torch.zeros((), requires_grad=True)
        self._pass: Pass | None = None
        known = {id(each): name for name, each in self._module.named_parameters() if each.requires_grad}
        for module in list(self._module.modules()):
            names = {key: known[id(each)] for key, each in module.named_parameters(recurse=False) if id(each) in known}
            if names:
                self._take_over(module, names)

    def _take_over(self, module: Module, names: dict[str, str]) -> None:
        layer, through = layer_for(deepcopy(module), names), _through()

        def forward(x: Tensor) -> Tensor:
            return through.apply(x, self._anchor, layer, self._pass)

        module.forward = forward

    def __call__(self, models: Tensor, x: Tensor, y: Tensor, out: Tensor) -> None:
        torch, layout = library(), self._learner.layout
        n = len(x)
        samples = x.flatten(0, 1)
        if self.channels_last:
            samples = with_channels_last(samples)
        self._pass = Pass(n, models.ndim == 2, layout.views(models), layout.views(out), set(), self.channels_last)
        with torch.enable_grad():
            cost = n * self._learner.weight * self._learner.loss(self._module(samples), y.flatten(0, 1))
        cost.backward()
        for name, place in self._pass.places.items():
            if name not in self._pass.written:
                place.zero_()  # the module did not use it
        self._pass = None


@cache
def _through() -> Any:
    """Return the function that lets autograd pass through a layer of ours."""
    torch = library()

    class Through(torch.autograd.Function):  # type: ignore[name-defined,misc]
        @staticmethod
        def forward(ctx: Any, x: Tensor, anchor: Tensor, layer: Layer, over: Pass) -> Tensor:
            ctx.layer, ctx.over = layer, over
            ctx.save_for_backward(x)
            y, ctx.kept = layer.forward(x, over)
            return y

        @staticmethod
        def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None, None]:
            (x,) = ctx.saved_tensors
            return ctx.layer.backward(x, gradient, ctx.over, ctx.kept, ctx.needs_input_grad[0]), None, None, None

    return Through


class Way(Protocol):
    """What computes the gradients of a group of workers."""

    @property
    def together(self) -> bool:
        """Whether a worker's last bits may depend on its place in the group, and on how many there are."""

    @property
    def channels_last(self) -> bool:
        """Whether the module is shown images with their channels last; it is measured as it is learned with."""

    def __call__(self, models: Tensor, x: Tensor, y: Tensor, out: Tensor) -> None:
        """Put the gradients at `models`, `(n, d)` or one `(d,)` for all, into `out`, `(n, d)`."""


class Loop:
    """One worker after another; with channels_last, images have their channels last."""

    together = False

    def __init__(self, learner: Learner, channels_last: bool = False) -> None:
        self._learner, self.channels_last = learner, channels_last

    def __call__(self, models: Tensor, x: Tensor, y: Tensor, out: Tensor) -> None:
        for row, (samples, targets) in enumerate(zip(x, y, strict=True)):
            self._gradient(models if models.ndim == 1 else models[row], samples, targets, out[row])

    def _gradient(self, model: Tensor, x: Tensor, y: Tensor, out: Tensor) -> None:
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

    def __call__(self, models: Tensor, x: Tensor, y: Tensor, out: Tensor) -> None:
        func, layout = library().func, self._learner.layout
        gradients = func.vmap(func.grad(self._learner.cost), in_dims=(None if models.ndim == 1 else 0, 0, 0))
        found = gradients(layout.views(models), x, y)
        for name, place in layout.views(out).items():
            place.copy_(found[name])


WAYS: dict[str, Callable[[Learner], Way]] = {
    "loop": Loop,
    "loop-channels-last": partial(Loop, channels_last=True),
    "stacked": Stacked,
    "layered": Layered,
    "layered-channels-last": partial(Layered, channels_last=True),
}
