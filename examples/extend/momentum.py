"""A method of your own makes a program: what honest workers send, and what the master does with it."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import holdfast as hf


class Averages(NamedTuple):
    gradients: Any  # one row per worker; such a state is saved and resumed


@dataclass(frozen=True)
class MomentumMedian(hf.methods.Method, hf.methods.GradientWorker):
    """Workers send v <- beta v + (1 - beta) gradient; the master descends along the median of the v."""

    beta: float = 0.9

    def program(self, setting: hf.methods.Setting) -> hf.methods.Program:
        return replace(hf.methods.Aggregated(hf.aggregators.Median()).program(setting), worker=self)

    def init(self, models: Any) -> Averages:
        return Averages(0 * models)

    def step(self, state: Averages, request: Any, oracle: Any) -> tuple[Any, Averages]:
        average = self.beta * state.gradients + (1 - self.beta) * oracle(request.model, request.round)
        return average, Averages(average)
