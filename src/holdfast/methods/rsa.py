"""Byzantine-robust stochastic aggregation (Li et al., 2019, Algorithm 2)."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, Self

from msgspec import Meta

from holdfast.conversion import convert_fields
from holdfast.errors import InvalidInput
from holdfast.methods.base import Method, Reading, Setting, as_sent
from holdfast.methods.masters import Descent, PenaltySum, TallySum
from holdfast.methods.penalties import L1, Penalty, penalty
from holdfast.methods.workers import PenalisedWorker, Reply
from holdfast.onebit import BreakTies, Coin, TallyBits
from holdfast.typing import Master, Worker

AUTO: Literal["auto"] = "auto"
"""Stands for a number that is found from the data before the first round."""


@dataclass(frozen=True)
class Rsa(Method):
    """Every worker keeps its own model, pulled to the master's by an lp norm (Algorithm 2).

    `penalty` is the paper's lambda, a number or `auto`: then it is found from the data (docs/automatic.md).
    Workers send `full` models, or with norm 1 `bits`: on which side of them the master stands. Where a worker
    stands exactly at the master the subgradient is `zero`, or a `coin` decides (bits need the coin). The norm
    is 2 if it is not given, or 1 with bits or the coin, which need it. Workers take `local_steps` a round
    while x0 is held (the theorems are about 1), and reply with their `current` iterate, or, as the
    authors' program does, the `updated` one.

    >>> Rsa().norm, Rsa(messages="bits").norm
    (2.0, 1.0)
    """

    cites: ClassVar[tuple[str, ...]] = ("li2019rsa",)
    norm: Annotated[float, Meta(ge=1)] = None  # type: ignore[assignment]  # a number once it is made
    penalty: Annotated[float, Meta(ge=0)] | Literal["auto"] = AUTO
    messages: Literal["full", "bits"] = "full"
    ties: Literal["zero", "coin"] | None = None
    local_steps: Annotated[int, Meta(ge=1)] = 1
    reply: Reply = "current"

    penalised = True
    weighs = True

    def __post_init__(self) -> None:
        if self.norm is None:
            object.__setattr__(self, "norm", 1.0 if self.messages == "bits" or self.ties == "coin" else 2.0)
        convert_fields(self)
        if (self.messages == "bits" or self.ties == "coin") and self.norm != 1:
            raise InvalidInput(f"bits and the coin for ties need norm 1; got norm={self.norm:g}")
        if self.messages == "bits" and self.ties == "zero":
            raise InvalidInput("one bit cannot say 0: bits need ties=coin; got ties=zero")

    def resolved(self) -> Self:
        """Return the method with what happens at ties filled in.

        >>> Rsa(messages="bits").resolved().ties
        'coin'
        """
        ties: Any = "coin" if self.messages == "bits" else "zero"
        return replace(self, ties=self.ties or ties)

    def worker(self, setting: Setting) -> Worker[Any]:
        return PenalisedWorker(self._pull, setting.rate, self.reply, self.local_steps)

    def master(self, setting: Setting) -> Master[Any]:
        pull = self._pull
        if self.messages == "bits":
            assert isinstance(pull, L1)  # bits need norm 1
            if setting.weights:
                raise InvalidInput("weights of workers need messages=full, a count of bits has none; got messages=bits")
            return Descent(TallySum(pull), setting.rate, setting.prior)
        return Descent(PenaltySum(pull, setting.weights), setting.rate, setting.prior)

    def reading(self, seed: int) -> Reading:
        if self.messages == "bits":
            return TallyBits(Coin(seed))
        return BreakTies(Coin(seed)) if self.ties == "coin" else as_sent

    @property
    def _pull(self) -> Penalty:
        if isinstance(self.penalty, str):
            raise InvalidInput(f"a penalty must be a number before it is used; got {self.penalty}")
        return penalty(self.norm, self.penalty)


@dataclass(frozen=True)
class IdealRsa(Rsa):
    """RSA among the honest workers only (eq. diff:x): an oracle."""

    participants = "honest"
    attacked = False


def with_penalty(method: Method, weight: float) -> Method:
    """Return the method with this number where it leaves lambda to the data; any other method as it is.

    >>> with_penalty(Rsa(), 0.5).penalty, with_penalty(Rsa(penalty=2.0), 0.5).penalty
    (0.5, 2.0)
    """
    left_open: Any = method if getattr(method, "penalty", None) == AUTO else None
    return method if left_open is None else replace(left_open, penalty=weight)
