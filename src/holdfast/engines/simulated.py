"""All workers in one process, a row each."""

from collections.abc import Callable, Iterable
from typing import Any

from holdfast.attacks import FullView
from holdfast.engines.adversary import Adversary
from holdfast.engines.group import Crew, Divisible
from holdfast.engines.participation import Participation
from holdfast.engines.protocol import Spread
from holdfast.typing import Messages, Oracle, Rows, Vector, Worker, Workers

Reading = Callable[[Vector, Rows, Workers, int], Messages]
"""What the master at `model` is given of the rows that these workers send in a round."""


def as_sent(model: Vector, rows: Rows, workers: Workers, round: int) -> Messages:
    """Read messages as they are."""
    return rows


class Simulated:
    """Workers that share a process; those in `liars` send what `attack` says.

    A Byzantine worker does what it would do if it were regular where its attack starts from its true message,
    or where liars are `working` anyway, as they are if the oracle serves all or nobody. In each round a `share`
    of the workers is asked.
    """

    def __init__(
        self,
        worker: Worker[Any],
        oracle: Oracle,
        model: Vector,
        workers: Workers,
        *,
        liars: Iterable[int] = (),
        attack: Callable[[FullView], Rows] | None = None,
        seed: int = 0,
        share: float = 1.0,
        working: bool = False,
        reading: Reading = as_sent,
    ) -> None:
        self.worker, self.workers = worker, workers
        self._adversary = Adversary(attack, workers, liars, seed, working or not isinstance(oracle, Divisible))
        self._crew = Crew(worker, oracle, model, workers, self._adversary.idle)
        self._participation = Participation(workers, share, seed)
        self._reading = reading
        self.absent = 0
        self.voters = self._participation.size
        """How many are asked in a round."""
        self.regular = self._adversary.regular
        """The numbers of the workers that tell the truth."""

    @property
    def state(self) -> Any:
        """The states of all who work, a row each."""
        return self._crew.state

    @state.setter
    def state(self, state: Any) -> None:
        self._crew.state = state

    def start(self) -> None:
        """Do nothing: all is ready."""

    def rehearsal(self, model: Vector) -> Any:
        """Return the messages of the first round; no state changes."""
        before = self.state
        messages = self.exchange(model, 0)
        self.state = before
        return messages

    def iterates(self, model: Vector) -> Rows:
        """Return the models that regular workers hold while the master holds `model`."""
        return self._crew.iterates(model, self.regular)

    def spread(self, model: Vector) -> Spread:
        """Return how far the regular workers are while the master holds `model`."""
        total = self._crew.total(model, self.regular)
        assert total is not None  # at least one worker is regular
        mean = total / len(self.regular)
        return Spread(*(self._crew.squares(model, self.regular, point) for point in (mean, model)))

    def close(self) -> None:
        """Do nothing: there is nothing to leave behind."""

    def exchange(self, model: Vector, round: int) -> Any:
        """Play a round and return the `Messages` that its reading gives. They are good until the next one."""
        asked = self._participation.asked(round)
        rows = self._crew.answer(model, round, asked)
        rows = self._adversary.speak(rows, asked, self.worker.neutral(model), round)
        return self._reading(model, rows, asked, round)
