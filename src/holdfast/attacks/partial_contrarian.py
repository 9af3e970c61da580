from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Meta

from holdfast.attacks.base import ColludingAttack, FullView, honest_mean
from holdfast.attacks.contrarian import Contrarian
from holdfast.typing import Rows


@dataclass(frozen=True)
class PartialContrarian(ColludingAttack):
    """Be contrarian where it matters most, and elsewhere send what honest workers send, each another one's message.

    What matters most is the `share` of the coordinates on which the honest mean is farthest from neutral. Against a
    master that hears whoever agrees on most coordinates, by this package.

    >>> PartialContrarian(share=0.5)(FullView.of([[1.0, 9.0], [2.0, 8.0]], byzantine=3)).tolist()
    [[1.0, -9.0], [2.0, -9.0], [1.0, -9.0]]
    """

    share: Annotated[float, Meta(ge=0, le=1)] = 0.3

    def __call__(self, view: FullView, /) -> Rows:
        sent = view.honest[np.arange(len(view.workers)) % len(view.honest)]
        weight = np.abs(honest_mean(view) - view.neutral)
        most = np.argsort(-weight, kind="stable")[: round(self.share * len(weight))]
        sent[:, most] = Contrarian()(view)[:, most]
        return sent
