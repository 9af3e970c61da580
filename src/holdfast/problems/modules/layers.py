"""Layers for several workers at once: x holds the samples of one worker after another, the same number of each."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from holdfast.errors import InvalidInput
from holdfast.problems.modules.pytorch import Module, Tensor, library

Kept = list[tuple[Tensor, dict[str, Tensor], Tensor]]
"""What a layer keeps for its way back: inputs, parameters and outputs of each worker, or nothing."""


class Pass(NamedTuple):
    """One pass forth and back: the parameters in it, and where their gradients go."""

    workers: int
    own: bool
    """Whether parameters have a leading axis of workers; else all share them."""
    parameters: Mapping[str, Tensor]
    places: Mapping[str, Tensor]
    written: set[str]
    channels_last: bool

    def of(self, name: str, worker: int) -> Tensor:
        return self.parameters[name][worker] if self.own else self.parameters[name]

    def put(self, name: str, gradient: Tensor, worker: int | None = None) -> None:
        """Put a gradient in its place, of one worker or of all; where another use of the parameter was, add it."""
        place = self.places[name] if worker is None else self.places[name][worker]
        if name in self.written:
            place.add_(gradient)
        else:
            place.copy_(gradient)

    def split(self, x: Tensor) -> Tensor:
        """Return samples by worker, `(n, B, ...)`."""
        return x.view(self.workers, -1, *x.shape[1:]) if x.is_contiguous() else x.unflatten(0, (self.workers, -1))


@dataclass(frozen=True, eq=False)
class Layer(ABC):
    """A module whose own parameters have these names in a model."""

    module: Module
    names: Mapping[str, str]

    @abstractmethod
    def forward(self, x: Tensor, over: Pass) -> tuple[Tensor, Kept]:
        """Return the outputs, and what `backward` needs besides x."""

    @abstractmethod
    def backward(self, x: Tensor, gradient: Tensor, over: Pass, kept: Kept, inward: bool) -> Tensor:
        """Put away the parameters' gradients; return that of x if it goes further `inward`."""


class LinearLayer(Layer):
    """x W' + b: a product of stacked matrices if workers have their own."""

    def forward(self, x: Tensor, over: Pass) -> tuple[Tensor, Kept]:
        torch = library()
        weight, bias = over.parameters[self.names["weight"]], self._bias(over)
        if not over.own:
            return torch.nn.functional.linear(x, weight, bias), []
        rows, turned = x.reshape(over.workers, -1, x.shape[-1]), weight.transpose(1, 2)
        y = torch.bmm(rows, turned) if bias is None else torch.baddbmm(bias.unsqueeze(1), rows, turned)
        return y.view(*x.shape[:-1], -1), []

    def _bias(self, over: Pass) -> Tensor:
        return over.parameters[self.names["bias"]] if "bias" in self.names else None

    def backward(self, x: Tensor, gradient: Tensor, over: Pass, kept: Kept, inward: bool) -> Tensor:
        torch = library()
        rows, inputs_gradients = (each.reshape(over.workers, -1, each.shape[-1]) for each in (x, gradient))
        name = self.names["weight"]
        if name in over.written:
            over.put(name, torch.bmm(inputs_gradients.transpose(1, 2), rows))
        else:
            for place, upstream, row in zip(over.places[name], inputs_gradients, rows, strict=True):
                torch.mm(upstream.t(), row, out=place)
        if "bias" in self.names:
            over.put(self.names["bias"], inputs_gradients.sum(1))
        over.written.update(self.names.values())
        if not inward:
            return None
        weight = over.parameters[name]
        return (torch.bmm(inputs_gradients, weight) if over.own else gradient @ weight).view(x.shape)


class ConvLayer(Layer):
    """A convolution: each worker's on its own, or where all share it, one for all and each worker's gradient of it."""

    def forward(self, x: Tensor, over: Pass) -> tuple[Tensor, Kept]:
        torch, conv = library(), self.module
        about = (conv.stride, conv.padding, conv.dilation, conv.groups)
        if not over.own:
            return torch.nn.functional.conv2d(x, *self._parameters(over, 0), *about), []
        parts = [
            torch.nn.functional.conv2d(part, *self._parameters(over, worker), *about)
            for worker, part in enumerate(x.chunk(over.workers))
        ]
        return torch.cat(parts), []

    def _parameters(self, over: Pass, worker: int) -> tuple[Tensor, Tensor]:
        weight = over.of(self.names["weight"], worker)
        if over.channels_last:
            weight = with_channels_last(weight)
        return weight, over.of(self.names["bias"], worker) if "bias" in self.names else None

    def backward(self, x: Tensor, gradient: Tensor, over: Pass, kept: Kept, inward: bool) -> Tensor:
        torch = library()
        inputs_gradients = []
        for worker, (part, upstream) in enumerate(
            zip(x.chunk(over.workers), gradient.chunk(over.workers), strict=True)
        ):
            weight, bias = self._parameters(over, worker)
            wanted = [inward and over.own, True, bias is not None]
            towards, of_weight, of_bias = self._back(upstream, part, weight, bias, wanted)
            over.put(self.names["weight"], of_weight, worker)
            if bias is not None:
                over.put(self.names["bias"], of_bias, worker)
            inputs_gradients.append(towards)
        over.written.update(self.names.values())
        if not inward:
            return None
        if over.own:
            return torch.cat(inputs_gradients)
        return self._back(gradient, x, *self._parameters(over, 0), [True, False, False])[0]

    def _back(self, upstream: Tensor, x: Tensor, weight: Tensor, bias: Tensor, wanted: list[bool]) -> Tensor:
        conv = self.module
        sizes = None if bias is None else list(bias.shape)
        about = (conv.stride, conv.padding, conv.dilation, False, (0, 0), conv.groups)
        return library().ops.aten.convolution_backward(upstream, x, weight, sizes, *about, wanted)


class AnyLayer(Layer):
    """Any other module with parameters, one worker after another through autograd: normalisation, embeddings, ..."""

    def forward(self, x: Tensor, over: Pass) -> tuple[Tensor, Kept]:
        torch, kept = library(), Kept()
        inward = x.is_floating_point()
        with torch.enable_grad():
            for worker, part in enumerate(x.detach().chunk(over.workers)):
                given = part.requires_grad_() if inward else part
                own = {key: over.of(name, worker).detach().requires_grad_() for key, name in self.names.items()}
                y = torch.func.functional_call(self.module, own, (given,))
                kept.append((given, own, y))
        return torch.cat([y.detach() for *_, y in kept]), kept

    def backward(self, x: Tensor, gradient: Tensor, over: Pass, kept: Kept, inward: bool) -> Tensor:
        torch, inputs_gradients = library(), []
        for worker, ((given, own, y), upstream) in enumerate(zip(kept, gradient.chunk(over.workers), strict=True)):
            wanted = [*own.values(), *([given] if inward else [])]
            found = torch.autograd.grad(y, wanted, upstream, allow_unused=True, materialize_grads=True)
            for key, each in zip(own, found, strict=False):
                over.put(self.names[key], each, worker)
            inputs_gradients.append(found[-1])
        over.written.update(self.names.values())
        return torch.cat(inputs_gradients) if inward else None


def layer_for(module: Module, names: Mapping[str, str]) -> Layer:
    """Return the layer that computes what a module does."""
    nn = library().nn
    if list(module.children()):
        raise InvalidInput(f"a layer with parameters must have no layers in it; got {type(module).__name__}")
    if type(module) is nn.Linear:
        return LinearLayer(module, names)
    if type(module) is nn.Conv2d and module.padding_mode == "zeros" and not isinstance(module.padding, str):
        return ConvLayer(module, names)
    return AnyLayer(module, names)


def with_channels_last(tensor: Tensor) -> Tensor:
    """Return images or filters with their channels last, also by their strides where there is only one channel.

    With one channel both orders are the same in memory, PyTorch takes it for channels first, and so does all behind it.
    """
    if tensor.ndim != 4:
        return tensor
    _, channels, height, width = tensor.shape
    strides = (channels * height * width, 1, width * channels, channels)
    return tensor.contiguous(memory_format=library().channels_last).as_strided(tensor.shape, strides)
