"""Attacks that reverse what honest workers send on average."""

from dataclasses import dataclass

import numpy as np

from holdfast.attacks.damage import Line
from holdfast.attacks.line_search import LineAttack
from holdfast.attacks.threats import ColludingAttack, FullView, honest_mean
from holdfast.typing import Rows


@dataclass(frozen=True)
class NegativeSum(ColludingAttack):
    """Make the sum of all messages null (attack a2 of the paper).

    With several Byzantine workers each sends an equal part of minus the honest workers' sum.
    """

    cites = ("li2019rsa",)

    def __call__(self, view: FullView, /) -> Rows:
        part = -view.honest.sum(axis=0) / len(view.own)
        return np.broadcast_to(part, view.own.shape)


@dataclass(frozen=True)
class InnerProduct(LineAttack):
    """Send the honest mean turned round and scaled: inner-product manipulation (Xie et al., UAI 2019).

        neutral - scale (mu - neutral)

    Gradients have neutral = 0, so that this is -scale mu, there with 0.1: it turns the inner product of a mean-like
    aggregate and the true gradient negative while it is short enough to pass for honest. Models are turned round at the
    master's. With `search=line`, the scale is what harms the master's rule most in this round, of `evaluations` tries
    of either sign, as far as the rule can be asked (`view.aggregate`). ByzFL's is `search=upward,evaluations=20`.

    >>> view = FullView.of([[1.0], [2.0], [3.0]])
    >>> InnerProduct()(view)
    array([[-0.2]])
    """

    cites = ("xie2019fall",)

    scale: float = 0.1

    def line(self, view: FullView) -> tuple[Line, float]:
        """Return the message for each scale, and the scale as given."""
        away = honest_mean(view) - view.neutral
        return lambda factor: view.neutral - factor * away, self.scale
