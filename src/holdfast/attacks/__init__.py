"""What Byzantine workers send instead of their messages, be those gradients or models."""

from holdfast.attacks.base import Attack, ColludingAttack, FullView, LocalAttack, LocalView
from holdfast.attacks.contrarian import Contrarian
from holdfast.attacks.duplicate import Duplicate
from holdfast.attacks.gaussian import Gaussian
from holdfast.attacks.infinite import Infinite
from holdfast.attacks.negative_sum import NegativeSum
from holdfast.attacks.same_value import SameValue
from holdfast.attacks.sign_flip import SignFlip
from holdfast.naming import Family

REGISTRY: dict[str, type[Attack]] = {
    "infinite": Infinite,
    "negative-sum": NegativeSum,
    "same-value": SameValue,
    "sign-flip": SignFlip,
    "gaussian": Gaussian,
    "duplicate": Duplicate,
    "contrarian": Contrarian,
}
ATTACKS: Family[Attack] = Family("attack", REGISTRY, base=Attack)

__all__ = [
    "ATTACKS",
    "REGISTRY",
    "Attack",
    "ColludingAttack",
    "Contrarian",
    "Duplicate",
    "FullView",
    "Gaussian",
    "Infinite",
    "LocalAttack",
    "LocalView",
    "NegativeSum",
    "SameValue",
    "SignFlip",
]
