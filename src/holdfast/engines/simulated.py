"""All workers in one process, one row per worker."""

from collections.abc import Callable, Iterable
from typing import Any

from holdfast.attacks import Attack
from holdfast.engines.adversary import Adversary
from holdfast.engines.engine import Spread
from holdfast.engines.worker_group import Participation, WorkerGroup
from holdfast.methods import Program, Served
from holdfast.problems import Divisible
from holdfast.typing import Messages, Oracle, Request, Rows, Vector, Workers


class Simulated:
    """Workers that share this process; those in `byzantine` send what `attack` says.

    Byzantine workers compute their own message where the attack uses it or they are `computing_always`; also where
    the oracle cannot serve the others alone. In each round a `share` of the workers is asked.
    """

    def __init__(
        self,
        program: Program,
        oracle: Oracle,
        model: Vector,
        workers: Workers,
        *,
        byzantine: Iterable[int] = (),
        attack: Attack | None = None,
        seed: int = 0,
        share: float = 1.0,
        computing_always: bool = False,
    ) -> None:
        self.program, self.workers = program, workers
        always = computing_always or not isinstance(oracle, Divisible)
        self.adversary = Adversary(attack, workers, byzantine, seed, always)
        self._group = WorkerGroup(program.worker, oracle, model, workers, self.adversary.idle)
        self._participation = Participation(workers, share, seed)
        self._seed = seed
        self.absent = 0
        """Always 0: no worker is late here."""
        self.voters = self._participation.size
        """How many workers are asked in a round."""
        self.honest = self.adversary.honest
        """The numbers of the honest workers."""

    @property
    def faults(self) -> tuple[str, ...]:
        """Always empty: nothing gets lost here."""
        return ()

    @property
    def state(self) -> Any:
        """The states of all workers that compute, one row per worker."""
        return self._group.state

    @state.setter
    def state(self, state: Any) -> None:
        self._group.state = state

    def attend(self, stopping: Callable[[], bool], say: Callable[[str], object]) -> None:
        """Do nothing: there is nothing to wait for here."""

    def start(self) -> None:
        """Do nothing: all is ready."""

    def asked(self, round: int) -> Workers:
        """Return the numbers of the workers that are asked in a round."""
        return self._participation.asked(round)

    def exchange(self, state: Served, round: int) -> Messages:
        """Play a round of a master in this state and return what arrives. It is valid until the next round."""
        request = Request(state.model, self._participation.asked(round), round, self._seed)
        answers = Messages(self._group.answer(request), request.workers, round, self._seed, state.model)
        return self.adversary.cross(self.program, answers, state)

    def iterates(self, model: Vector) -> Rows:
        """Return the models that honest workers hold while the master holds `model`."""
        return self._group.iterates(model, self.honest)

    def spread(self, model: Vector) -> Spread:
        """Return how far the honest workers' models are while the master holds `model`."""
        total = self._group.total(model, self.honest)
        assert total is not None  # at least one worker is honest
        mean = total / len(self.honest)
        return Spread(*(self._group.squares(model, self.honest, point) for point in (mean, model)))

    def close(self) -> None:
        """Do nothing: nothing was started."""
