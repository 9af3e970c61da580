"""One shard as the master sees it: an actor, what it was asked since its state was kept, and whether it is late."""

from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.engines.ray import Cluster
from holdfast.errors import FleetError
from holdfast.typing import Workers

PATIENCE = 300.0
"""Seconds that a new actor may take to be where the old one was."""
LIVES = 5
"""How often a shard may die between two times that its state was kept before the run gives up."""


class Member:
    """An actor that is replaced when it dies: the new one loads the kept state and plays again what came after."""

    def __init__(self, cluster: Cluster, kind: type, arguments: Sequence[Any], workers: Workers) -> None:
        self.workers = workers
        self._cluster, self._kind, self._arguments = cluster, kind, arguments
        self._kept: Any = None
        self._asked: list[int] = []
        self._deaths = 0
        self.late: Any = None
        """The answer that was not waited for, if the actor still works on it."""
        self.behind = True
        """Whether it has missed what the others heard, so that it must be sent x0 itself."""
        self.actor = cluster.start(kind, *arguments)

    def ask(self, round: int, frames: Sequence[bytes]) -> Any:
        """Have a round played and return the promise of an answer."""
        if not self._asked or self._asked[-1] != round:
            self._asked.append(round)
        self.behind = False
        return self.actor.answer.remote(round, frames)

    def keep(self) -> Any:
        """Have the state kept outside the actor; what was asked before need not be played again."""
        kept = self.actor.state.remote()
        self._cluster.ray.get(kept)  # an actor that dies meanwhile keeps what was kept before
        self._kept, self._asked, self._deaths = kept, [], 0
        return kept

    def load(self, kept: Any) -> Any:
        """Go on from a kept state."""
        self._kept, self._asked, self.behind = kept, [], True
        return self.actor.load.remote(kept)

    def replace(self, log: Mapping[int, bytes], until: int) -> None:
        """Put a new actor in the place of this one, as it was before round `until`."""
        self._deaths += 1
        if self._deaths > LIVES:
            raise FleetError(f"a shard died {self._deaths} times before round {until + 1} was over")
        ray = self._cluster.ray
        ray.kill(self.actor)
        self.actor = self._cluster.start(self._kind, *self._arguments)
        try:
            if self._kept is not None:
                ray.get(self.actor.load.remote(self._kept), timeout=PATIENCE)
            past = [(round, log[round]) for round in self._asked if round < until]
            ray.get(self.actor.replay.remote(past), timeout=PATIENCE)
        except ray.exceptions.GetTimeoutError:
            raise FleetError(f"a new shard must be ready within {PATIENCE:.0f} seconds; got none") from None
        except ray.exceptions.ObjectLostError:
            raise FleetError(
                f"the state of workers {self.workers[0]} to {self.workers[-1]} died with its machine"
            ) from None
        except ray.exceptions.RayActorError:
            self.replace(log, until)
        self.late, self.behind = None, True
