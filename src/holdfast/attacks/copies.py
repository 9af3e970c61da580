"""Byzantine workers that copy an honest worker's message."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from holdfast.attacks.threats import ColludingAttack, FullView, WithMemory, broadcast, honest_mean, unit
from holdfast.errors import InvalidInput
from holdfast.streams import Stream
from holdfast.typing import Rows, Vector, Workers


@dataclass(frozen=True)
class Duplicate(ColludingAttack):
    """Send what one honest worker sends ("Heterogeneous Data"; there worker 1).

    In a round in which that worker is absent, the first honest worker present is copied.
    """

    cites: ClassVar[tuple[str, ...]] = ("li2019rsa",)

    worker: int = 1

    def check(self, honest: Workers) -> None:
        require_honest("duplicate needs an honest worker to copy", self.worker, honest)

    def __call__(self, view: FullView, /) -> Rows:
        self.check(np.concatenate([view.honest_workers, view.absent]))
        return np.broadcast_to(view.honest[row_of(self.worker, view)], view.own.shape)


def require_honest(needed: str, worker: int, honest: Workers) -> None:
    """Raise InvalidInput with what is needed unless this worker is honest."""
    if worker not in honest:
        raise InvalidInput(f"{needed}; got worker={worker}")


def row_of(worker: int, view: FullView) -> int:
    """Return the row of an honest worker, or that of the first honest worker present where it is absent."""
    return int((view.honest_workers == worker).argmax())


@dataclass(frozen=True)
class NoisyDuplicate(Duplicate):
    """Send what one honest worker sends, each turned round the neutral message on coordinates of its own.

    Every Byzantine worker turns a random `share` of the coordinates, fixed for the run. Two Byzantine workers take
    different sides on 2 share (1 - share) of the coordinates, and each differs from the copied worker on `share`. A
    master that counts equal messages as one voice, as `watch` does, counts them all. Against such masters, by this
    package.

    >>> NoisyDuplicate(share=1.0)(FullView.of([[1.0, -2.0], [3.0, 4.0]])).tolist()
    [[-1.0, 2.0]]
    """

    cites: ClassVar[tuple[str, ...]] = ()

    share: Annotated[float, Meta(ge=0, le=1)] = 0.1

    def __call__(self, view: FullView, /) -> Rows:
        copies = super().__call__(view)
        draws = Stream(view.seed, "noisy duplicate").words(view.workers, 0, copies.shape[1])
        return np.where(draws < self.share * 2.0**64, 2 * view.neutral - copies, copies)


class Victim(NamedTuple):
    """The direction in which honest messages differ, and the worker to copy."""

    rounds: NDArray[np.int64]
    """How many were looked at."""
    mean: NDArray[np.float64]
    direction: NDArray[np.float64]
    worker: NDArray[np.int64]


@dataclass(frozen=True)
class Mimic(WithMemory[Victim], ColludingAttack):
    """Send what the most outstanding honest worker sends; `warm_up` rounds choose the worker.

    Karimireddy et al. (ICLR 2022): copies look honest, and give one worker's data too much weight. z follows the
    direction in which honest messages vary most, by Oja's steps in their number of rounds t = 0, 1, ...

        mu <- (t mu + mean_i x_i) / (t + 1),    c = sum_i <x_i - mu, z> (x_i - mu),
        z <- t z + c / |c|, scaled to length 1,

    from a random z, addressed by the seed; copied is argmax_i <z, x_i>. After the warm-up it is the worker last copied
    while that worker is present, else the argmax of those present. Messages may be gradients or models: the argmax
    does not depend on where 0 is. `duplicate` copies a worker given by its number.

    >>> Mimic()(FullView.of([[-1.0, 0.0], [0.0, 1.0], [9.0, 0.0]])).tolist() in ([[-1.0, 0.0]], [[9.0, 0.0]])
    True
    """

    cites = ("karimireddy2022byzantine",)

    warm_up: Annotated[int, Meta(ge=1)] = 100

    def init(self, neutral: Vector, byzantine: Workers) -> Victim:
        nothing = np.zeros(len(neutral))
        return Victim(np.array(0), nothing, nothing, np.array(0))

    def step(self, state: Victim, view: FullView) -> tuple[Rows, Victim]:
        if state.rounds < self.warm_up:
            state = _watch(state, view)
        present = view.honest_workers == state.worker
        at = present.argmax() if present.any() else (view.honest @ state.direction).argmax()
        return broadcast(view.honest[at], view), state


def _watch(state: Victim, view: FullView) -> Victim:
    """Return the state after another round of the warm-up."""
    t = int(state.rounds)
    mean = (t * state.mean + honest_mean(view)) / (t + 1)
    random = Stream(view.seed, "mimic attack").normals(np.array([0]), 0, len(mean))[0]
    z = state.direction if state.direction.any() else random  # RSA's workers all begin at one model
    away = view.honest - mean
    z = unit(t * state.direction + unit(away.T @ (away @ z)))
    worker = view.honest_workers[(view.honest @ z).argmax()]
    return Victim(np.array(t + 1), mean, z, np.array(worker))
