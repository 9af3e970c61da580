from dataclasses import dataclass

from holdfast.attacks.base import LocalAttack, LocalView
from holdfast.streams import Stream
from holdfast.typing import Rows


@dataclass(frozen=True)
class Gaussian(LocalAttack):
    """Send independent normal values of mean 0 and this scale ("Gaussian attacks"; there 10000)."""

    cites = ("li2019rsa",)

    scale: float = 10000.0
    uses_own = False

    def __call__(self, view: LocalView, /) -> Rows:
        stream = Stream(view.seed, "gaussian attack")
        noise = stream.normals(view.workers, view.round, view.own.shape[-1])
        noise *= self.scale
        return noise.astype(view.own.dtype, copy=False)
