from dataclasses import dataclass

from holdfast.attacks.base import FullView, honest_mean
from holdfast.attacks.damage import Line
from holdfast.attacks.searching import LineAttack


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
