"""What an attacker knows. The base class of an attack is its threat model."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from holdfast.conversion import convert_fields
from holdfast.typing import Rows, Vector, Workers


@dataclass(frozen=True)
class LocalView:
    """What compromised workers know by themselves, one row each."""

    own: Rows
    """The messages they would send if they were honest; anything where the attack does not use them."""
    neutral: Vector
    """The message that pulls the master nowhere: its model if messages are models, 0 if gradients."""
    workers: Workers
    """Their numbers."""
    round: int
    seed: int


@dataclass(frozen=True)
class FullView(LocalView):
    """What the paper's omniscient, colluding adversary knows: also all that honest workers send."""

    honest: Rows
    """The messages of the honest workers, one row each."""
    honest_workers: Workers
    """The numbers of these honest workers."""
    absent: Workers = field(default_factory=lambda: np.empty(0, np.int64))
    """The numbers of the honest workers that do not answer in this round."""


class _Attack:
    def __post_init__(self) -> None:
        convert_fields(self)  # a NumPy scalar would decide the messages' type

    def check(self, honest: Workers) -> None:
        """Say before the first round if the attack cannot work beside these honest workers."""


class LocalAttack(_Attack, ABC):
    """An attack that one compromised worker can mount alone."""

    uses_own: ClassVar[bool] = True
    """Whether it reads `view.own`; if not, Byzantine workers skip their own gradient."""

    @abstractmethod
    def __call__(self, view: LocalView, /) -> Rows:
        """Return what the workers of the view send, one row each."""


class ColludingAttack(_Attack, ABC):
    """An attack of workers that act together and see every honest message."""

    uses_own: ClassVar[bool] = False
    """Whether it reads `view.own`; if not, Byzantine workers skip their own gradient."""

    @abstractmethod
    def __call__(self, view: FullView, /) -> Rows:
        """Return what the workers of the view send, one row each."""


Attack = LocalAttack | ColludingAttack
