"""What gives some workers their minibatch gradients of a module."""

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.problems.modules.pytorch import Tensor, library, one_thread
from holdfast.typing import Rows, Workers

if TYPE_CHECKING:
    from holdfast.problems.modules.problem import ModuleProblem


class Group(NamedTuple):
    """Workers that are served together."""

    rows: slice | NDArray[np.int64]
    """Their rows; where some are missing, others' in their places."""
    kept: NDArray[np.int64] | None
    """The places whose gradients are asked for, and `at` which rows; None if that is all of them."""
    at: NDArray[np.int64] | None


class ModuleOracle:
    """The oracle of some workers.

    Where workers are computed together, worker i has place (i - 1) mod `chunk` in a group of `chunk`, with
    any others: so its gradient has the same bits, alone or among others.
    """

    def __init__(self, problem: "ModuleProblem", workers: Workers) -> None:
        self._problem, self.workers = problem, workers

    def only(self, workers: Workers) -> "ModuleOracle":
        """Return the oracle of some of them."""
        return ModuleOracle(self._problem, workers)

    @cached_property
    def _groups(self) -> list[Group]:
        chunk, n = self._problem.chunk, len(self.workers)
        if not self._problem.gradients.together:
            return [Group(slice(first, first + chunk), None, None) for first in range(0, n, chunk)]
        groups, places = np.divmod(self.workers - 1, chunk)
        found = []
        for group in np.unique(groups):
            (at,) = np.nonzero(groups == group)
            if np.array_equal(places[at], np.arange(chunk)) and at[-1] - at[0] == chunk - 1:
                found.append(Group(slice(at[0], at[0] + chunk), None, None))
                continue
            rows = np.full(chunk, at[0])
            rows[places[at]] = at
            found.append(Group(rows, places[at], at))
        return found

    def __call__(self, models: Rows, round: int, /) -> Rows:
        """Return the gradients at these models, one row per worker, or at the one model that all share."""
        problem, n = self._problem, len(self.workers)
        if models.shape[-1] != problem.dimension or models.shape[:-1] not in ((), (1,), (n,)):
            expected = f"({n}, {problem.dimension}) or ({problem.dimension},)"
            raise InvalidInput(f"models must have shape {expected}; got {models.shape}")
        shared = models.ndim == 1 or len(models) == 1 < n
        gradients = np.empty((n, problem.dimension), models.dtype)
        given = shared_memory(models.reshape(-1) if shared else models).to(problem.device)
        out = shared_memory(gradients)
        with one_thread():
            for group in self._groups:
                x, y = problem.minibatches(self.workers[group.rows], round)
                self._serve(group, given if shared else given[group.rows], x, y, out)
        return gradients

    def _serve(self, group: Group, models: Tensor, x: Tensor, y: Tensor, out: Tensor) -> None:
        """Put the gradients of one group of workers in their rows."""
        gradients, device = self._problem.gradients, self._problem.device
        if group.kept is None and device == "cpu":
            gradients(models, x, y, out[group.rows])
            return
        found = library().empty((len(x), out.shape[1]), dtype=out.dtype, device=device)
        gradients(models, x, y, found)
        if group.kept is None:
            out[group.rows] = found.cpu()
        else:
            out[group.at] = found[group.kept].cpu()


def shared_memory(array: Rows) -> Tensor:
    """Return an array as a tensor that shares its memory, or of a copy where it may not be written to."""
    plain = np.ascontiguousarray(array)
    return library().from_numpy(plain if plain.flags.writeable else plain.copy())
