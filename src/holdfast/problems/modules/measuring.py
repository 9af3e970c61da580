"""A module as it is measured: in evaluation mode, with the statistics that its normalisation needs."""

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from holdfast.problems.modules.layout import Layout
from holdfast.problems.modules.learner import running
from holdfast.problems.modules.library import library, one_thread

BLOCK = 500
"""Samples that are measured at a time."""


class Measure:
    """The scores of a module.

    Batch normalisation has no statistics of its own while workers learn. For a model that is measured they are those
    of training samples at that model, block by block and averaged: a function of the model, so that nothing has to be
    kept, sent or restored, and no worker can lie about them.
    """

    def __init__(self, module: Any, layout: Layout) -> None:
        self._module, self._layout = deepcopy(module).eval(), layout
        self._normalising = running(self._module)

    def scores(self, flat: Any, blocks: Iterable[Any], training: Iterable[Any] = ()) -> Any:
        """Return the scores of all samples in these blocks; `training` blocks are those to normalise by."""
        torch, parameters = library(), self._layout.views(flat)
        with one_thread(), torch.no_grad():
            self._normalise(parameters, training)
            found = [torch.func.functional_call(self._module, parameters, (block,)) for block in blocks]
            return torch.cat(found)

    def _normalise(self, parameters: Any, training: Iterable[Any]) -> None:
        if not self._normalising:
            return
        for layer in self._normalising:
            layer.reset_running_stats()
            layer.momentum = None  # the average over all blocks
            layer.train()
        for block in training:
            library().func.functional_call(self._module, parameters, (block,))
        for layer in self._normalising:
            layer.eval()
