from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from holdfast.attacks.base import ColludingAttack, FullView
from holdfast.attacks.lies import Lie, lie
from holdfast.typing import Rows


@dataclass(frozen=True)
class Sleeper(ColludingAttack):
    """Be honest for some `rounds`, then lie: who is trusted for what it did long ago does most harm late.

    The default is half of an arena's run. Against masters with memory, by this package.

    >>> from dataclasses import replace
    >>> view = FullView.of([[1.0], [2.0]])
    >>> Sleeper(rounds=3)(view).tolist(), Sleeper(rounds=3)(replace(view, round=3)).tolist()
    ([[0.0]], [[-2.0]])
    """

    rounds: Annotated[int, Meta(ge=0)] = 250
    lie: Lie = "contrarian"
    uses_own = True

    def __call__(self, view: FullView, /) -> Rows:
        return view.own if view.round < self.rounds else lie(self.lie, view)
