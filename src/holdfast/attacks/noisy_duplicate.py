from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from holdfast.attacks.base import FullView
from holdfast.attacks.duplicate import Duplicate
from holdfast.streams import Stream
from holdfast.typing import Rows


@dataclass(frozen=True)
class NoisyDuplicate(Duplicate):
    """Send what one honest worker sends, each turned round the neutral message on coordinates of its own.

    Every Byzantine worker turns a random `share` of the coordinates, fixed for the run. So two of them take different
    sides on 2 share (1 - share) of them, and each differs from the copied worker on `share`: who counts equal messages
    as one voice, as `watch` does, hears them all. Against such masters, by this package.

    >>> NoisyDuplicate(share=1.0)(FullView.of([[1.0, -2.0], [3.0, 4.0]])).tolist()
    [[-1.0, 2.0]]
    """

    cites: ClassVar[tuple[str, ...]] = ()

    share: Annotated[float, Meta(ge=0, le=1)] = 0.1

    def __call__(self, view: FullView, /) -> Rows:
        copies = super().__call__(view)
        draws = Stream(view.seed, "noisy duplicate").words(view.workers, 0, copies.shape[1])
        turned: Rows = np.where(draws < self.share * 2.0**64, 2 * view.neutral - copies, copies)
        return turned
