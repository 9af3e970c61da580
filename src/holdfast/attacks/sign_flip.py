from dataclasses import dataclass

from holdfast.attacks.base import LocalAttack, LocalView
from holdfast.typing import Rows


@dataclass(frozen=True)
class SignFlip(LocalAttack):
    """Send the true message times a negative factor ("Sign-flipping attacks"; there -4)."""

    cites = ("li2019rsa",)

    factor: float = -4.0

    def caution(self) -> str | None:
        return (
            f"sign-flip with factor={self.factor:g} flips no sign: a factor below 0 does" if self.factor >= 0 else None
        )

    def __call__(self, view: LocalView, /) -> Rows:
        return self.factor * view.own
