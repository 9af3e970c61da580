"""Networks by name: each is called with the shape of a sample and the number of scores, and returns a new module."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, is_dataclass
from inspect import Parameter, isclass, signature
from math import prod
from typing import Annotated, Literal

from msgspec import Meta

from holdfast.conversion import convert_fields
from holdfast.errors import InvalidInput
from holdfast.naming import Family
from holdfast.problems.modules.pytorch import Module, Tensor, library

GROUPS = 8
"""Of GroupNorm, as far as the channels can be divided by it."""


def residual_block(before: int, after: int, stride: int, norm: str) -> Module:
    """Return relu(F(x) + S(x)): F two 3x3 convolutions, S the identity, or a 1x1 convolution where shapes differ."""
    nn = library().nn

    def norm_layer(channels: int) -> Module:
        if norm == "group":
            return nn.GroupNorm(GROUPS if channels % GROUPS == 0 else 1, channels)
        return nn.BatchNorm2d(channels) if norm == "batch" else nn.Identity()

    class Residual(nn.Module):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            super().__init__()
            self.change = nn.Sequential(
                nn.Conv2d(before, after, 3, stride, padding=1, bias=norm == "none"),
                norm_layer(after),
                nn.ReLU(),
                nn.Conv2d(after, after, 3, padding=1, bias=norm == "none"),
                norm_layer(after),
            )
            same = before == after and stride == 1
            self.skip = nn.Identity() if same else nn.Conv2d(before, after, 1, stride)

        def forward(self, x: Tensor) -> Tensor:
            return nn.functional.relu(self.change(x) + self.skip(x))

    return Residual()


Shape = tuple[int, ...]
Positive = Annotated[int, Meta(ge=1)]


@dataclass(frozen=True)
class Linear:
    """One linear layer that starts at 0: with cross-entropy, the softmax regression of the paper."""

    def __call__(self, shape: Shape, outputs: int) -> Module:
        nn = library().nn
        layer = nn.Linear(prod(shape), outputs)
        nn.init.zeros_(layer.weight)
        nn.init.zeros_(layer.bias)
        return nn.Sequential(nn.Flatten(), layer)


@dataclass(frozen=True)
class Mlp:
    """`depth` hidden layers of `hidden` units each, with ReLU."""

    hidden: Positive = 128
    depth: Positive = 1

    def __post_init__(self) -> None:
        convert_fields(self)

    def __call__(self, shape: Shape, outputs: int) -> Module:
        nn = library().nn
        widths = [prod(shape), *[self.hidden] * self.depth]
        layers = [layer for at in range(self.depth) for layer in (nn.Linear(*widths[at : at + 2]), nn.ReLU())]
        return nn.Sequential(nn.Flatten(), *layers, nn.Linear(widths[-1], outputs))


@dataclass(frozen=True)
class Cnn:
    """Two convolutions with ReLU that halve the image, then one hidden layer: on 28x28 pixels, ByzFL's cnn_mnist.

    `halve` says by what: max-pooling, or strides of 2, which take a quarter of the work.
    """

    first: Positive = 20
    second: Positive = 50
    hidden: Positive = 500
    kernel: Positive = 5
    padding: Annotated[int, Meta(ge=0)] = 0
    halve: Literal["pooling", "strides"] = "pooling"

    def __post_init__(self) -> None:
        convert_fields(self)

    def __call__(self, shape: Shape, outputs: int) -> Module:
        nn = library().nn
        channels, *sides = image_shape("cnn", shape)
        for _ in range(2):
            sides = [self._halve(side) for side in sides]
        if min(sides) < 1:
            raise InvalidInput(f"cnn:kernel={self.kernel} needs larger images, or padding; got {shape}")
        return nn.Sequential(
            *self._convolution(channels, self.first),
            *self._convolution(self.first, self.second),
            nn.Flatten(),
            nn.Linear(self.second * prod(sides), self.hidden),
            nn.ReLU(),
            nn.Linear(self.hidden, outputs),
        )

    def _convolution(self, channels: int, out: int) -> list[Module]:
        nn = library().nn
        if self.halve == "strides":
            return [nn.Conv2d(channels, out, self.kernel, stride=2, padding=self.padding), nn.ReLU()]
        # the same as ReLU first, which would have four times as many numbers to look at
        return [nn.Conv2d(channels, out, self.kernel, padding=self.padding), nn.MaxPool2d(2), nn.ReLU()]

    def _halve(self, side: int) -> int:
        reached = side + 2 * self.padding - self.kernel + 1
        return (reached + 1) // 2 if self.halve == "strides" else reached // 2


@dataclass(frozen=True)
class ResNet8:
    """A residual network of 8 layers, 16 to 64 channels (He et al., 2016); `norm` group, batch or none."""

    width: Positive = 16
    norm: Literal["group", "batch", "none"] = "group"

    def __post_init__(self) -> None:
        convert_fields(self)

    def __call__(self, shape: Shape, outputs: int) -> Module:
        nn = library().nn
        channels = image_shape("resnet8", shape)[0]
        widths = [self.width, self.width, 2 * self.width, 4 * self.width]
        blocks = [residual_block(widths[at], widths[at + 1], 1 if at == 0 else 2, self.norm) for at in range(3)]
        return nn.Sequential(
            nn.Conv2d(channels, self.width, 3, padding=1),
            *blocks,
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(widths[-1], outputs),
        )


REGISTRY: dict[str, Callable[..., Module]] = {"softmax": Linear, "mlp": Mlp, "cnn": Cnn, "resnet8": ResNet8}


def _takes_options(found: object) -> bool:
    """Only of a dataclass: a module's own class, or a function, is the model itself."""
    return isclass(found) and is_dataclass(found)


MODELS: Family[Callable[..., Module]] = Family("model", REGISTRY, makes=_takes_options)


def image_shape(name: str, shape: Shape) -> Shape:
    if len(shape) != 3:
        raise InvalidInput(f"{name} needs images, (channels, height, width); got samples of shape {shape}")
    return shape


def new_module(model: Callable[..., Module], shape: Shape, outputs: int) -> Module:
    """Return the module that a model makes, told the shape of a sample and the number of scores if it asks."""
    offered: dict[str, object] = {"shape": shape, "outputs": outputs}
    parameters: Mapping[str, Parameter] = {}
    with suppress(TypeError, ValueError):  # not every callable has a signature to read
        parameters = signature(model).parameters
    wants_all = any(each.kind is Parameter.VAR_KEYWORD for each in parameters.values())
    given = {name: value for name, value in offered.items() if wants_all or name in parameters}
    try:
        module = model(**given)
    except TypeError as error:
        raise InvalidInput(f"a model must be made of `shape` and `outputs` alone; got {error}") from None
    if not isinstance(module, library().nn.Module):
        raise InvalidInput(f"a model must make a torch.nn.Module; got {type(module).__name__} from {model!r}")
    return module
