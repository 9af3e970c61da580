"""Where the parameters of a module lie in a flat model."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from holdfast.errors import InvalidInput


@dataclass(frozen=True)
class Layout:
    """The trainable parameters in their own order, each row by row: as `torch.nn.utils.parameters_to_vector` has them.

    A parameter that several layers share lies there once; frozen ones are no part of a model.
    """

    shapes: Mapping[str, tuple[int, ...]]

    @staticmethod
    def of(module: Any) -> "Layout":
        shapes = {name: tuple(each.shape) for name, each in module.named_parameters() if each.requires_grad}
        if not shapes:
            raise InvalidInput(f"a model must have parameters to learn; got {type(module).__name__} with none")
        return Layout(shapes)

    @property
    def dimension(self) -> int:
        return sum(map(prod, self.shapes.values()))

    def views(self, flat: Any) -> dict[str, Any]:
        """Return the parameters of a model `(d,)`, or of stacked ones `(n, d)`, as views of it."""
        at, found = 0, {}
        for name, shape in self.shapes.items():
            size = prod(shape)
            found[name] = flat[..., at : at + size].view(*flat.shape[:-1], *shape)
            at += size
        return found
