"""The block of residual networks."""

from typing import Any

from holdfast.problems.modules.library import library

GROUPS = 8
"""Of GroupNorm, as far as the channels can be divided by it."""


def residual_block(before: int, after: int, stride: int, norm: str) -> Any:
    """Return relu(F(x) + S(x)): F two 3x3 convolutions, S the identity, or a 1x1 convolution where shapes differ."""
    nn = library().nn

    def normed(channels: int) -> Any:
        if norm == "group":
            return nn.GroupNorm(GROUPS if channels % GROUPS == 0 else 1, channels)
        return nn.BatchNorm2d(channels) if norm == "batch" else nn.Identity()

    class Residual(nn.Module):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            super().__init__()
            self.change = nn.Sequential(
                nn.Conv2d(before, after, 3, stride, padding=1, bias=norm == "none"),
                normed(after),
                nn.ReLU(),
                nn.Conv2d(after, after, 3, padding=1, bias=norm == "none"),
                normed(after),
            )
            same = before == after and stride == 1
            self.skip = nn.Identity() if same else nn.Conv2d(before, after, 1, stride)

        def forward(self, x: Any) -> Any:
            return nn.functional.relu(self.change(x) + self.skip(x))

    return Residual()
