from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from holdfast.attacks.base import ColludingAttack, FullView, alike, honest_mean
from holdfast.attacks.searching import Line, Search, damage_of, strongest
from holdfast.typing import Rows


@dataclass(frozen=True)
class InnerProduct(ColludingAttack):
    """Send the honest mean turned round and scaled: inner-product manipulation (Xie et al., UAI 2019).

        neutral - scale (mu - neutral)

    Gradients have neutral = 0, so that this is -scale mu, there with 0.1: it turns the inner product of a mean-like
    aggregate and the true gradient negative while it is short enough to pass for honest. Models are turned round at the
    master's. With `search=line`, the scale is what harms the master's rule most in this round, of `evaluations` tries
    of either sign, as far as the rule can be asked (`view.aggregate`).

    >>> view = FullView.of([[1.0], [2.0], [3.0]])
    >>> InnerProduct()(view)
    array([[-0.2]])
    """

    cites = ("xie2019fall",)

    scale: float = 0.1
    search: Search = "none"
    evaluations: Annotated[int, Meta(ge=1)] = 24

    @property
    def searches(self) -> bool:
        return self.search == "line"

    def __call__(self, view: FullView, /) -> Rows:
        line, scale = self.line(view)
        damage = damage_of(view) if self.searches else None
        return alike(line(scale) if damage is None else strongest(damage, line, scale, self.evaluations)[0], view)

    def line(self, view: FullView) -> tuple[Line, float]:
        """Return the message for each scale, and the scale as given."""
        away = honest_mean(view) - view.neutral
        return lambda factor: view.neutral - factor * away, self.scale
