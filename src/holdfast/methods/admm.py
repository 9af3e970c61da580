"""RSA's problem by stochastic ADMM (Lin, Li and Ling, 2021)."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, NamedTuple, cast

import numpy as np
from msgspec import Meta

from holdfast.conversion import convert_fields
from holdfast.errors import InvalidInput
from holdfast.methods.method import AUTO, Method, Setting
from holdfast.methods.program import Program
from holdfast.typing import Messages, Oracle, Request, Rows, Schedule, Vector


class Dual(NamedTuple):
    """The workers' own models x_i, and how hard each is pulled: eta_i."""

    model: Rows
    dual: Rows


class Duals(NamedTuple):
    """The master's own account of every worker's eta_i: one row per worker number."""

    duals: Rows


def ascend(duals: Rows, away: Rows, penalty: float, beta: float) -> Rows:
    """Return eta + beta / 2 (x_i - x0) cut to [-penalty, penalty], `away` being x_i - x0; NaN leaves eta as it was.

    >>> ascend(np.zeros(3), np.array([1.0, -9.0, np.nan]), penalty=2.0, beta=2.0)
    array([ 1., -2.,  0.])
    """
    moved = np.clip(duals + 0.5 * beta * away, -penalty, penalty)
    return np.where(np.isnan(moved), duals, moved)


@dataclass(frozen=True)
class AdmmWorker:
    """An honest worker of stochastic ADMM: `RsaAdmm` has the equations. It sends x_i."""

    penalty: float
    beta: float
    rate: Schedule

    def init(self, models: Rows) -> Dual:
        return Dual(models, np.zeros_like(models))

    def step(self, state: Dual, request: Request, oracle: Oracle) -> tuple[Rows, Dual]:
        dual = ascend(state.dual, state.model - request.model, self.penalty, self.beta)
        alpha = float(self.rate(request.round))
        direction = oracle(state.model, request.round) + 2 * dual - state.dual
        return state.model, Dual(state.model - alpha / (1 + alpha * self.beta) * direction, dual)

    def iterates(self, state: Dual, model: Vector) -> Rows:
        return state.model

    def neutral(self, model: Vector) -> Vector:
        return model


@dataclass(frozen=True)
class DualSum:
    """Minus the sum of all 2 eta_i+ - eta_i, with messages read as models x_i.

    The master computes every eta_i itself, so that no worker pulls harder than 3 penalty.
    """

    rotation_equivariant: ClassVar[bool] = False
    coordinate_wise: ClassVar[bool] = False
    penalty: float
    beta: float

    def init(self, model: Vector) -> Duals:
        return Duals(np.zeros((0, len(model)), model.dtype))

    def step(self, state: Duals, messages: Messages) -> tuple[Vector, Duals]:
        at, model = messages.workers - 1, messages.model
        unseen = max(int(at.max()) + 1 - len(state.duals), 0)
        duals = np.concatenate([state.duals, np.zeros((unseen, len(model)), model.dtype)])
        before = duals[at]
        after = ascend(before, cast(Rows, messages.rows) - model, self.penalty, self.beta)
        duals[at] = after
        return -(2 * after - before).sum(axis=0), Duals(duals)


@dataclass(frozen=True)
class RsaAdmm(Method):
    """The problem of l1-RSA by stochastic ADMM: the pull of a worker grows with its distance, up to lambda.

    Lin, Li and Ling (2021). With 1 / alpha the weight of the proximal term, n the number of workers that answer and
    eta_i the dual variable of worker i, 0 at first, which both sides compute for themselves,

        eta_i+  =  eta_i + beta / 2 (x_i - x0), every coordinate cut to [-lambda, lambda]
        x_i     <- x_i - (grad F(x_i, xi_i) + 2 eta_i+ - eta_i) / (1 / alpha + beta)
        x0      <- x0 - (grad f0(x0) - sum_i (2 eta_i+ - eta_i)) / (1 / alpha + n beta)

    Workers send x_i, so that attacks are those on models. No coordinate of a message weighs more than 3 lambda; NaN
    leaves eta_i as it was. `penalty` is lambda, by default found from the data as for l1-RSA; beta is `stiffness` /
    alpha of the first round, as in the authors' program half of 1 / alpha. If a reply is lost, worker and master
    disagree about eta_i from then on, by what the lost message would have added.
    """

    cites: ClassVar[tuple[str, ...]] = ("lin2021stochastic", "li2019rsa")
    penalty: Annotated[float, Meta(ge=0)] | Literal["auto"] = AUTO
    stiffness: Annotated[float, Meta(gt=0)] = 0.5

    penalised = True

    def __post_init__(self) -> None:
        convert_fields(self)

    def program(self, setting: Setting) -> Program:
        penalty, beta = self._constants(setting)
        worker = AdmmWorker(penalty, beta, setting.rate)
        return Program(worker, DualSum(penalty, beta), setting.rate, setting.prior, damping=beta)

    def _constants(self, setting: Setting) -> tuple[float, float]:
        if isinstance(self.penalty, str):
            raise InvalidInput(f"a penalty must be a number before it is used; got {self.penalty}")
        return self.penalty, self.stiffness / float(setting.rate(0))
