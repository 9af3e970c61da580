"""What Byzantine workers send instead of their messages, be those gradients or models."""

from holdfast.attacks.colluding import ColludingAttack, Contrarian, Duplicate, NegativeSum
from holdfast.attacks.local import Gaussian, Infinite, LocalAttack, SameValue, SignFlip
from holdfast.attacks.views import FullView, LocalView

Attack = LocalAttack | ColludingAttack
IndifferentAttack = Infinite | SameValue | Gaussian | NegativeSum | Duplicate | Contrarian
"""Attacks to which the liars' own messages make no difference: nobody has to work them out."""

REGISTRY: dict[str, type[Attack]] = {
    "infinite": Infinite,
    "negative-sum": NegativeSum,
    "same-value": SameValue,
    "sign-flip": SignFlip,
    "gaussian": Gaussian,
    "duplicate": Duplicate,
    "contrarian": Contrarian,
}

__all__ = [
    "REGISTRY",
    "Attack",
    "ColludingAttack",
    "Contrarian",
    "Duplicate",
    "FullView",
    "Gaussian",
    "IndifferentAttack",
    "Infinite",
    "LocalAttack",
    "LocalView",
    "NegativeSum",
    "SameValue",
    "SignFlip",
]
