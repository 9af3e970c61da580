"""The master's side in a loop of one's own."""

from collections.abc import Callable
from typing import Any

import numpy as np

from holdfast.arrays import checked
from holdfast.errors import InvalidInput
from holdfast.methods import Constant, Setting, make_method
from holdfast.methods.priors import Ridge
from holdfast.problems.modules.library import library
from holdfast.typing import Messages

torch = library()


class Master:
    """What a method's master does with the messages of each round: models for RSA, gradients for a rule.

        RSA:     x0 <- x0 - rate (l2 x0 + sum_i lambda d|x0 - x_i|_p)
        a rule:  x0 <- x0 - rate (l2 x0 + n rule(gradients))

    `byzantine` is how many rules are told that lie. `rate` may be a schedule, called with the round from 0.

    >>> master = Master(torch.zeros(2), "rsa:norm=1,penalty=0.5", rate=0.1)
    >>> master.step(torch.tensor([[1.0, 1.0], [1.0, 9.0], [1.0, -9.0]]))
    tensor([0.1500, 0.0500])
    """

    def __init__(
        self,
        start: Any,
        method: Any,
        *,
        rate: float | Callable[[int], float],
        l2: float = 0.0,
        byzantine: int = 0,
        seed: int = 0,
    ) -> None:
        course = rate if callable(rate) else Constant(rate)
        self._program = make_method(method).program(Setting(course, Ridge(l2), byzantine))
        self._like, self._seed = start.detach(), seed
        self._state = self._program.init(self._like.cpu().numpy().copy())
        self.round = 0
        """The rounds so far."""

    @property
    def model(self) -> Any:
        """x0, a vector."""
        return torch.from_numpy(self._state.model.copy()).to(self._like.device)

    def step(self, messages: Any) -> Any:
        """Take in one message per worker, `(n, d)`, and return the new x0."""
        rows = checked("a master", messages)
        if rows.shape[1:] != self._state.model.shape:
            raise InvalidInput(f"messages must have length {len(self._state.model)}; got {rows.shape[1]}")
        workers = np.arange(1, len(rows) + 1)
        answers = Messages(rows.astype(self._state.model.dtype, copy=False), workers, self.round, self._seed)
        self._state = self._program.step(self._state, answers)
        self.round += 1
        return self.model
