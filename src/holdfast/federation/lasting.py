"""The master's step with whatever came: answers that are missing, or too large, end no federation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from holdfast.errors import InvalidInput
from holdfast.methods import Method, Setting
from holdfast.typing import Master, Received, Vector


@dataclass(frozen=True)
class LastingMaster:
    """A method's master. Where its rule cannot work with the answers that came, the model stays as it was.

    Whoever sent something unusable was one of the declared ones. Still the rule is told the whole number, and a smaller
    one only if so few answers are left that it cannot work otherwise: junk from one node does not stall the rounds.
    """

    masters: Sequence[Master[Any]]
    """The same master, told `declared` Byzantine workers, one fewer, and so on to none."""

    @classmethod
    def of(cls, method: Method, setting: Setting) -> Self:
        return cls([method.master(setting._replace(declared=told)) for told in range(setting.declared, -1, -1)])

    def init(self, model: Vector) -> Any:
        return self.masters[0].init(model)

    def step(self, state: Any, received: Received, unfit: int) -> tuple[Any, str]:
        """Return the state after a round in which so many answers were unfit, and why it is the old one, if it is."""
        reasons = []
        for master in self.masters[: unfit + 1]:
            try:
                with np.errstate(over="ignore", invalid="ignore"):
                    stepped = master.step(state, received)
            except InvalidInput as error:
                reasons.append(str(error))
                continue
            if np.isfinite(stepped.model).all():
                return stepped, ""
            reasons.append("a model must stay finite; got an overflow")
        return state, reasons[0]
