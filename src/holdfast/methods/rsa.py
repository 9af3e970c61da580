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
PENALTY = {"l1": 0.07, "linf": 20.0}
"""The paper's lambda under attack; its 1.2 for l2 lies on the geometric line between them."""
RATE = {"l2": 0.001, "linf": 0.0001}
"""The paper's alpha of RSA; l1 has that of l2."""


@dataclass(frozen=True)
class Rsa(Method):
    """Every worker keeps its own model, pulled to the master's by an lp norm (Algorithm 2).

    `penalty` is the paper's lambda; its default depends on the norm. Workers send `full` models, or with
    norm 1 `bits`: on which side of them the master stands. Where a worker stands exactly at the master
    the subgradient is `zero`, or a `coin` decides (bits need the coin). Workers take `local_steps` a round
    while x0 is held (the theorems are about 1), and reply with their `current` iterate, or, as the
    authors' program does, the `updated` one.
    """

    cites: ClassVar[tuple[str, ...]] = ("li2019rsa",)
    norm: Annotated[float, Meta(ge=1)] = 1.0
    penalty: Annotated[float, Meta(ge=0)] | Literal["auto"] | None = None
    messages: Literal["full", "bits"] = "full"
    ties: Literal["zero", "coin"] | None = None
    local_steps: Annotated[int, Meta(ge=1)] = 1
    reply: Reply = "current"

    penalised = True
    weighs = True

    def __post_init__(self) -> None:
        convert_fields(self)
        if (self.messages == "bits" or self.ties == "coin") and self.norm != 1:
            raise InvalidInput(f"bits and the coin for ties need norm 1; got norm={self.norm:g}")
        if self.messages == "bits" and self.ties == "zero":
            raise InvalidInput("one bit cannot say 0: bits need ties=coin; got ties=zero")

    @property
    def default_rate(self) -> float:  # type: ignore[override]
        """The paper's, interpolated geometrically in 1/p between l2 and l-infinity."""
        return float(RATE["linf"] * (RATE["l2"] / RATE["linf"]) ** min(2 / self.norm, 1.0))

    def resolved(self) -> Self:
        """Return the method with the paper's lambda, geometrically in 1/p between l1 and l-infinity.

        >>> round(Rsa(norm=2.0).resolved().penalty, 3)
        1.183
        """
        by_norm = float(PENALTY["linf"] * (PENALTY["l1"] / PENALTY["linf"]) ** (1 / self.norm))
        ties: Any = "coin" if self.messages == "bits" else "zero"
        return replace(self, penalty=by_norm if self.penalty is None else self.penalty, ties=self.ties or ties)

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
        weight = self.resolved().penalty
        if isinstance(weight, str) or weight is None:
            raise InvalidInput(f"a penalty must be a number before it is used; got {weight}")
        return penalty(self.norm, weight)


@dataclass(frozen=True)
class IdealRsa(Rsa):
    """RSA among the honest workers only (eq. diff:x): an oracle."""

    participants = "honest"
    attacked = False
