"""The roles of a PyTorch loop of your own: the master, and RSA's workers."""

from collections.abc import Callable
from typing import Any

import numpy as np

from holdfast.arrays import check_rows
from holdfast.errors import InvalidInput
from holdfast.methods import Constant, Rsa, Setting, make_method
from holdfast.methods.priors import Ridge
from holdfast.problems.modules.pytorch import Tensor, library
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
        start: Tensor,
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
    def model(self) -> Tensor:
        """x0, a vector."""
        return torch.from_numpy(self._state.model.copy()).to(self._like.device)

    def step(self, messages: Tensor) -> Tensor:
        """Take in one message per worker, `(n, d)`, and return the new x0."""
        rows = check_rows("a master", messages)
        if rows.shape[1:] != self._state.model.shape:
            raise InvalidInput(f"messages must have length {len(self._state.model)}; got {rows.shape[1]}")
        workers = np.arange(1, len(rows) + 1)
        answers = Messages(rows.astype(self._state.model.dtype, copy=False), workers, self.round, self._seed)
        self._state = self._program.step(self._state, answers)
        self.round += 1
        return self.model


class Anchored(torch.optim.Optimizer):  # type: ignore[name-defined,misc]
    """Any optimiser, with RSA's penalty towards the anchor x0 added to every gradient (eq. update2:x:i).

        x <- x - lr (grad F(x) + lambda d|x - x0|_p)        where the inner optimiser is plain SGD

    `method` is RSA with its norm and lambda, such as "rsa:norm=2,penalty=0.02". The anchor is where the parameters
    are in the beginning; assign what the master says after each round. Schedulers take it for the optimiser it is.

    >>> layer = torch.nn.Linear(1, 1, bias=False)
    >>> layer.weight.data[:] = 5.0
    >>> optimizer = Anchored(torch.optim.SGD(layer.parameters(), lr=1.0), "rsa:norm=2,penalty=0.5")
    >>> optimizer.anchor = torch.zeros(1)
    >>> layer.weight.grad = torch.zeros(1, 1)
    >>> optimizer.step()
    >>> layer.weight.item()
    4.5
    """

    def __init__(self, inner: Any, method: Any) -> None:
        made = make_method(method)
        if not isinstance(made, Rsa) or not isinstance(made.penalty, float):
            raise InvalidInput(f"Anchored needs rsa with a number as its penalty; got {method}")
        super().__init__(inner.param_groups, inner.defaults)
        self.param_groups, self.state, self.inner = inner.param_groups, inner.state, inner
        self._pull = made.pull
        self.anchor: Tensor = self.model

    @property
    def model(self) -> Tensor:
        """A copy of all parameters as one vector: the message to the master."""
        return torch.cat([each.detach().reshape(-1) for each in self._parameters])

    @property
    def _parameters(self) -> list[Tensor]:
        return [each for group in self.param_groups for each in group["params"]]

    def zero_grad(self, set_to_none: bool = True) -> None:
        self.inner.zero_grad(set_to_none)

    def step(self, closure: Callable[[], Tensor] | None = None) -> Tensor:
        """Take the inner optimiser's step with the penalty in it; a closure is called once."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        with torch.no_grad():
            model = self.model
            if self.anchor.shape != model.shape:
                raise InvalidInput(f"an anchor must have shape {tuple(model.shape)}; got {tuple(self.anchor.shape)}")
            away = (model - self.anchor.to(model)).cpu().numpy()
            pull, at = torch.from_numpy(self._pull.subgradient(away)).to(model), 0
            for each in self._parameters:
                part = pull[at : at + each.numel()].view_as(each)
                each.grad = part.clone() if each.grad is None else each.grad.add_(part)
                at += each.numel()
        self.inner.step()
        return loss

    def state_dict(self) -> dict[str, Any]:
        return {"inner": self.inner.state_dict(), "anchor": self.anchor}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.inner.load_state_dict(state_dict["inner"])
        self.param_groups, self.state, self.anchor = self.inner.param_groups, self.inner.state, state_dict["anchor"]
