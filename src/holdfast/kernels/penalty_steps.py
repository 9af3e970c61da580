"""Subgradients of weight * |.|_p for p = 2 and infinity, RSA's steps also for p = 1. `holdfast.methods` calls them.

A row's result depends neither on the other rows nor on the number of threads.
"""

import numpy as np

from holdfast.errors import InvalidInput
from holdfast.kernels.calls import fill, matching, module, nonzero_weights, plain
from holdfast.typing import Array, Rows, Vector


def subgradients(p: float, weight: float, rows: Rows) -> Rows:
    """Return the subgradient at each row."""
    flat = plain(_floating(rows)).reshape(-1, rows.shape[-1])
    given = (flat, np.zeros(flat.shape[1], flat.dtype), p == 2, weight)
    return fill(module("norms").subgradients, given, np.empty_like(flat), flat.size, by_rows=True).reshape(rows.shape)


def pull(p: float, weight: float, model: Vector, rows: Rows, weights: Vector | None = None) -> Vector:
    """Return the sum of the subgradients at `model - row`, in the order of the rows; each times its weight, if given.

    Rows of weight 0 are not read.
    """
    rows = plain(_floating(rows))
    model = matching(_floating(model), rows)
    used, chosen = nonzero_weights(len(rows), weights)
    kernels, recipes = module("norms"), np.empty((len(chosen), 3), rows.dtype)
    fill(kernels.recipes, (rows, weight * used, chosen, model, p == 2), recipes, rows.size, by_rows=True)
    return fill(kernels.pull, (rows, chosen, model, recipes), np.empty_like(model), rows.size)


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
    after = (gradients, number(rate))
    if p == 1:
        kernel = module("norms").sign_steps
        return fill(kernel, (models, master, number(weight), *after), out, models.size, by_rows=True)
    return fill(module("norms").steps, (models, master, p == 2, weight, *after), out, models.size, by_rows=True)


def _floating(array: Array) -> Array:
    """Return the array in a type that is compiled: whole numbers, for example, as float64."""
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)
