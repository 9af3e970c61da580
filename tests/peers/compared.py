"""What a comparison with another library is: its number, and ours by the same formula with its constants.

A peer is imported only when it is asked, so that the table of differences is made without any of them.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from holdfast import aggregators, attacks, stages
from holdfast.methods import tell
from holdfast.typing import Rows

BYZANTINE = 2
"""What rules, stages and attacks are told on both sides."""

PACKAGES = {"ByzFL": "byzfl", "ByzPy": "byzpy", "Flower": "flwr"}

Answer = Callable[[Rows], Any]


def require(peer: str) -> None:
    """Skip a test where a peer is not installed."""
    if find_spec(PACKAGES[peer]) is None:
        pytest.skip(f"{peer} is not installed; make test-peers installs it")


@dataclass(frozen=True)
class Shared:
    """A member of ours that a peer has, too."""

    peer: str
    member: str
    """Our name."""
    name: str
    """Theirs, with the options that are given."""
    theirs: Answer
    formula: Answer | None = None
    """The same with the peer's constants; None for our member as it is."""
    differs: str = ""
    """The constants, in words; nothing where the formula is our member's own."""

    def __str__(self) -> str:
        return f"{self.peer}: {self.name}"


@dataclass(frozen=True)
class Fault:
    """Something that a peer does wrong or leaves to chance, and a program that shows it."""

    peer: str
    member: str
    what: str
    shown: Callable[[], bool]

    def __str__(self) -> str:
        return f"{self.peer}: {self.what}"


def ours(member: str) -> Answer:
    """Return what our member of this name makes of rows; attacks see them as what honest workers send."""
    if member in attacks.REGISTRY:
        return sent(attacks.REGISTRY[member]())
    registry: dict[str, Any] = {**aggregators.REGISTRY, **stages.REGISTRY}
    rule: Answer = tell(registry[member](), BYZANTINE)
    return rule


def sent(attack: Any) -> Answer:
    """Return what the first of the Byzantine workers sends; its own message is the first honest one."""

    def message(rows: Rows) -> Any:
        view = attacks.FullView.of(rows, BYZANTINE)
        return attack(replace(view, own=rows[:BYZANTINE]))[0]

    return message


def rounds() -> list[Rows]:
    """Rows of odd and even number, near 0 and far, small and large."""
    found: list[Rows] = []
    for seed in range(6):
        random = np.random.default_rng(seed)
        found.append(random.normal(size=(11 + seed % 2, 5)) * (1, 100)[seed // 2 % 2] + (0, 3)[seed % 2])
    return found
