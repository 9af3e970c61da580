"""Workers whose stochastic gradients lose their noise: SAGA and loopless SVRG, around any other worker rule."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.methods.workers import Around
from holdfast.typing import Oracle, Request, Rows, Worker

Mask = NDArray[np.bool_]


@runtime_checkable
class FiniteSum(Protocol):
    """An oracle whose workers have finitely many samples, and can look at all of them."""

    def __call__(self, models: Rows, round: int, /) -> Rows: ...

    def full(self, models: Rows, where: Mask) -> Rows:
        """Return the gradients on all samples of those workers where `where` holds, one row each."""

    def refreshes(self, round: int) -> Mask:
        """Return whose turn it is to look at all samples: at random, on average once in a pass over them."""

    def saga(self, models: Rows, round: int, tables: Rows, averages: Rows) -> tuple[Rows, Rows, Rows]:
        """Return SAGA's estimates of the gradients, and the workers' tables and averages after the draw."""


def require_finite_sum(oracle: Oracle, rule: str) -> FiniteSum:
    """Return the oracle, if its workers can look at all their samples."""
    if not isinstance(oracle, FiniteSum):
        raise InvalidInput(
            f"{rule} needs an oracle with `full`, `refreshes` and `saga`, as linear problems have; "
            f"got {type(oracle).__name__}"
        )
    return oracle


class Tabled(NamedTuple):
    """The state of workers with SAGA: that of the rule they follow, and what each sample said last."""

    inner: Any
    table: Rows
    average: Rows


@dataclass(frozen=True)
class WithSaga(Around):
    """Workers that follow a rule with SAGA's gradients in place of stochastic ones.

        g = 1/|B| sum_{j in B} (grad f_j(x) - t_j) + 1/N sum_j t_j,    then t_j <- grad f_j(x) for j in B

    Defazio, Bach and Lacoste-Julien (2014), on minibatches B; with robust rules Wu et al. (2020). All t_j are 0 before
    the first round, so that it begins as SGD does. Of linear scores a t_j is as many numbers as there are scores:
    `size` numbers per worker, and one average.
    """

    cites: ClassVar[tuple[str, ...]] = ("defazio2014saga", "wu2020federated")
    worker: Worker[Any]
    size: int

    def init(self, models: Rows) -> Tabled:
        table = np.zeros((len(models), self.size), models.dtype)
        return Tabled(self.worker.init(models), table, np.zeros_like(models))

    def step(self, state: Tabled, request: Request, oracle: Oracle) -> tuple[Rows, Tabled]:
        samples, table, average = require_finite_sum(oracle, "saga"), state.table, state.average

        def reduce(models: Rows, draw: int, /) -> Rows:
            nonlocal table, average
            estimates, table, average = samples.saga(models, draw, table, average)
            return estimates

        messages, inner = self.worker.step(state.inner, request, reduce)
        return messages, Tabled(inner, table, average)


class Referred(NamedTuple):
    """The state of workers with LSVRG: that of the rule they follow, and where they looked at all samples last."""

    inner: Any
    reference: Rows
    full: Rows
    begun: Mask
    """Whether a worker has a reference yet; its first model becomes one."""


@dataclass(frozen=True)
class WithLsvrg(Around):
    """Workers that follow a rule with the gradients of loopless SVRG in place of stochastic ones.

        g = 1/|B| sum_{j in B} (grad f_j(x) - grad f_j(w)) + grad F(w),    then w <- x with probability |B|/N

    Kovalev, Horvath and Richtarik (2020), Algorithm 1, on minibatches B. w is the first model to begin with.
    """

    cites: ClassVar[tuple[str, ...]] = ("kovalev2020loopless",)
    worker: Worker[Any]

    def init(self, models: Rows) -> Referred:
        begun = np.zeros(len(models), np.bool_)
        return Referred(self.worker.init(models), np.zeros_like(models), np.zeros_like(models), begun)

    def step(self, state: Referred, request: Request, oracle: Oracle) -> tuple[Rows, Referred]:
        samples = require_finite_sum(oracle, "lsvrg")
        reference, full, begun = state.reference.copy(), state.full.copy(), state.begun

        def refresh(models: Rows, due: Mask) -> None:
            reference[due] = np.broadcast_to(models, reference.shape)[due]
            full[due] = samples.full(models, due)

        def reduce(models: Rows, draw: int, /) -> Rows:
            nonlocal begun
            refresh(models, ~begun)
            begun = np.ones_like(begun)
            estimates: Rows = samples(models, draw) - samples(reference, draw) + full
            refresh(models, samples.refreshes(draw))
            return estimates

        messages, inner = self.worker.step(state.inner, request, reduce)
        return messages, Referred(inner, reference, full, begun)


REGISTRY: dict[str, type[WithSaga] | type[WithLsvrg]] = {"saga": WithSaga, "lsvrg": WithLsvrg}


def with_reduction(name: str, worker: Worker[Any], table: int) -> Worker[Any]:
    """Return workers that follow a rule with the variance reduction of this name, or none."""
    if name == "none":
        return worker
    return WithSaga(worker, table) if name == "saga" else WithLsvrg(worker)
