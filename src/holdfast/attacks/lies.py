"""What workers say when they lie that do not lie all the time."""

from typing import Literal

from holdfast.attacks.base import Attack, FullView
from holdfast.attacks.contrarian import Contrarian
from holdfast.attacks.negative_sum import NegativeSum
from holdfast.attacks.sign_flip import SignFlip
from holdfast.typing import Rows

Lie = Literal["contrarian", "negative-sum", "sign-flip"]
LIES: dict[Lie, Attack] = {"contrarian": Contrarian(), "negative-sum": NegativeSum(), "sign-flip": SignFlip()}


def lie(name: Lie, view: FullView) -> Rows:
    """Return what all workers of the view send when they lie."""
    return LIES[name](view)
