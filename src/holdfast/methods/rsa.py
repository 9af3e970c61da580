"""Byzantine-robust stochastic aggregation (Li et al., 2019, Algorithm 2)."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, Self, cast

from msgspec import Meta

from holdfast.conversion import convert_fields
from holdfast.errors import InvalidInput
from holdfast.methods.method import AUTO, Method, Setting
from holdfast.methods.penalties import L1, Penalty, make_norm, penalty
from holdfast.methods.program import Program
from holdfast.methods.sums import PenaltySum, VoteSum, Weigh
from holdfast.methods.workers import PenalisedWorker, Reply
from holdfast.onebit import BreakTies, TakeSides


@dataclass(frozen=True)
class Rsa(Method):
    """Every worker keeps its own model, pulled to the master's by an lp norm (Algorithm 2).

    `penalty` is the paper's lambda, a number or `auto`: then it is found from the data (docs/automatic.md).
    Workers send `full` models, or with norm 1 `bits`: on which side of them the master stands. Where a worker
    stands exactly at the master the subgradient is `zero`, or a `coin` decides (bits need the coin). The norm
    is 2 if it is not given, or 1 with bits or the coin, which need it; a penalty of your own in its place is
    `norm=package.module:Name` (docs/extending.md). Workers take `local_steps` a round
    while x0 is held (the theorems are about 1), and reply with their `current` iterate, or, as the
    authors' program does, the `updated` one.

    >>> Rsa().norm, Rsa(messages="bits").norm
    (2.0, 1.0)
    """

    cites: ClassVar[tuple[str, ...]] = ("li2019rsa",)
    norm: Any = None
    """A number from 1 on, or a `Penalty`, once the method is made."""
    penalty: Annotated[float, Meta(ge=0)] | Literal["auto"] = AUTO
    messages: Literal["full", "bits"] = "full"
    ties: Literal["zero", "coin"] | None = None
    local_steps: Annotated[int, Meta(ge=1)] = 1
    reply: Reply = "current"

    penalised = True
    weighs = True

    def __post_init__(self) -> None:
        by_sides = self.messages == "bits" or self.ties == "coin"
        norm = (1.0 if by_sides else 2.0) if self.norm is None else make_norm(self.norm)
        object.__setattr__(self, "norm", norm)
        convert_fields(self)
        if by_sides and norm != 1:
            raise InvalidInput(f"bits and the coin for ties need norm 1; got norm={self.norm_label.removeprefix('l')}")
        if self.messages == "bits" and self.ties == "zero":
            raise InvalidInput("one bit cannot say 0: bits need ties=coin; got ties=zero")

    def resolve(self) -> Self:
        """Return the method with what happens at ties filled in.

        >>> Rsa(messages="bits").resolve().ties
        'coin'
        """
        ties: Any = "coin" if self.messages == "bits" else "zero"
        return replace(self, ties=self.ties or ties)

    def program(self, setting: Setting) -> Program:
        bits, pull = self.messages == "bits", self.pull
        return Program(
            PenalisedWorker(pull, setting.rate, self.reply, self.local_steps),
            VoteSum(cast(L1, pull)) if bits else PenaltySum(pull),  # bits need norm 1
            setting.rate,
            setting.prior,
            sending=(TakeSides(),) if bits else (BreakTies(),) if self.ties == "coin" else (),
            reading=(Weigh(setting.weights),) if setting.weights else (),
        )

    @property
    def pull(self) -> Penalty:
        """The penalty with its weight lambda."""
        if isinstance(self.penalty, str):
            raise InvalidInput(f"a penalty must be a number before it is used; got {self.penalty}")
        return penalty(self.norm, self.penalty)

    @property
    def parts(self) -> tuple[object, ...]:
        return (self, self.norm) if isinstance(self.norm, Penalty) else (self,)

    @property
    def norm_label(self) -> str:
        """The norm in short: l2, linf, or the name of a penalty from outside."""
        return type(self.norm).__name__ if isinstance(self.norm, Penalty) else f"l{self.norm:g}"


@dataclass(frozen=True)
class IdealRsa(Rsa):
    """RSA among the honest workers only (eq. diff:x): an oracle."""

    participants = "honest"
    attacked = False
