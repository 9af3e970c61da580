"""Subgradients of weight * |.|_p for p = 2 and infinity, RSA's steps also for p = 1. `holdfast.methods` calls them.

A row's result depends neither on the other rows nor on the number of threads.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.kernels.calls import matching, module, nonzero_weights, plain, share
from holdfast.typing import Rows, Vector


def subgradients(p: float, weight: float, rows: Rows) -> Rows:
    """Return the subgradient at each row."""
    flat = plain(_floating(rows)).reshape(-1, rows.shape[-1])
    centre, out = np.zeros(flat.shape[1], flat.dtype), np.empty_like(flat)
    kernel = module("norms").subgradients
    share(lambda first, last: kernel(flat, centre, p == 2, weight, first, last, out), len(flat), flat.size, grain=1)
    return out.reshape(rows.shape)


def pull(p: float, weight: float, model: Vector, rows: Rows, weights: Vector | None = None) -> Vector:
    """Return the sum of the subgradients at `model - row`, in the order of the rows; each times its weight, if given.

    Rows of weight 0 are not read.
    """
    rows = plain(_floating(rows))
    model = matching(_floating(model), rows)
    used, chosen = nonzero_weights(len(rows), weights)
    pulls = weight * used
    recipes, out = np.empty((len(chosen), 3), rows.dtype), np.empty_like(model)
    kernels = module("norms")
    share(
        lambda first, last: kernels.recipes(rows, pulls, chosen, model, p == 2, first, last, recipes),
        len(chosen),
        rows.size,
        grain=1,
    )
    share(lambda first, last: kernels.pull(rows, chosen, model, recipes, first, last, out), len(out), rows.size)
    return out


def steps(p: float, weight: float, models: Rows, master: Vector, gradients: Rows, rate: float) -> Rows:
    """Return `models - rate * (gradients + subgradients at models - master)`, RSA's worker step, one row per worker."""
    models, gradients = plain(models), plain(gradients)
    master = matching(master, models)
    if gradients.shape != models.shape or gradients.dtype != models.dtype:
        raise InvalidInput(
            f"gradients must be like the models, {models.shape} of {models.dtype}; "
            f"got {gradients.shape} of {gradients.dtype}"
        )
    number, out = models.dtype.type, np.empty(models.shape, models.dtype)
    alpha, kernels = number(rate), module("norms")

    def fill(first: int, last: int) -> None:
        if p == 1:
            kernels.sign_steps(models, master, number(weight), gradients, alpha, first, last, out)
        else:
            kernels.steps(models, master, p == 2, weight, gradients, alpha, first, last, out)

    share(fill, len(models), models.size, grain=1)
    return out


def _floating(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array in a type that is compiled: whole numbers, for example, as float64."""
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)
