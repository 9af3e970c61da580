"""All workers in one process, one row per worker."""

from collections.abc import Callable, Iterable

from holdfast.attacks import Attack
from holdfast.engines.adversary import Adversary
from holdfast.engines.engine import Spread
from holdfast.engines.worker_group import Participation, WorkerGroup
from holdfast.methods import Program, Served
from holdfast.problems import Divisible
from holdfast.typing import Messages, Oracle, Request, Rows, State, Vector, Workers


class Simulated:
    """Workers that share this process; the Byzantine workers send what `attack` makes.

    Byzantine workers compute their own message if the attack uses it, with `computing_always`, and if the oracle cannot
    be divided. Each round asks a `share` of the workers.
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
        self.voters, self.honest = self._participation.size, self.adversary.honest

    @property
    def faults(self) -> tuple[str, ...]:
        """Always empty: no answer is lost here."""
        return ()

    @property
    def state(self) -> State:
        return self._group.state

    @state.setter
    def state(self, state: State) -> None:
        self._group.state = state

    def attend(self, stopping: Callable[[], bool], say: Callable[[str], object]) -> None:
        """Do nothing: this engine never waits."""

    def start(self) -> None:
        """Do nothing: the engine is ready."""

    def select_workers(self, round: int) -> Workers:
        return self._participation.select_workers(round)

    def exchange(self, state: Served, round: int) -> Messages:
        request = Request(state.model, self.select_workers(round), round, self._seed)
        answers = Messages(self._group.answer(request), request.workers, round, self._seed, state.model)
        return self.adversary.cross(self.program, answers, state)

    def iterates(self, model: Vector) -> Rows:
        """Return the honest workers' models while the master holds `model`."""
        return self._group.iterates(model, self.honest)

    def spread(self, model: Vector) -> Spread:
        total = self._group.total(model, self.honest)
        assert total is not None  # at least one worker is honest
        mean = total / len(self.honest)
        return Spread(*(self._group.squares(model, self.honest, point) for point in (mean, model)))

    def close(self) -> None:
        """Do nothing: the engine has started nothing."""
