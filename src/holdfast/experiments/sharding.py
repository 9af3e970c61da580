"""A spec's workers in shards: each actor deals the data to all workers by itself and keeps its own workers' part."""

import os
from dataclasses import replace
from typing import Any, cast

from threadpoolctl import threadpool_limits

from holdfast import kernels
from holdfast.engines.adversary import Adversary
from holdfast.engines.group import Crew
from holdfast.engines.participation import Participation
from holdfast.engines.remote.engine import Sharded
from holdfast.engines.remote.following import Follower
from holdfast.engines.remote.shard import Shard
from holdfast.engines.wire import Kind
from holdfast.experiments.assembly import forget, learnt, lying, participants, reading_of, works
from holdfast.experiments.spec import Spec
from holdfast.onebit.coin import Counted
from holdfast.typing import Method, Workers


def sharded(spec: Spec, method: Method, workers: Workers) -> Sharded:
    """Return the spec's workers as shards, which start when they are first needed."""
    return Sharded(
        SpecShard,
        lambda some: (spec, method, some),
        method.worker,
        workers,
        _adversary(spec, workers),
        Participation(workers, spec.participation, spec.seed),
        reading_of(spec),
        shards=spec.shards or os.cpu_count() or 1,
        address=spec.address,
        timeout=spec.round_timeout or None,
        least=spec.min_workers,
    )


class SpecShard(Shard):
    """Some of a spec's workers, one thread for all of them: the shards themselves fill the cores."""

    def __init__(self, spec: Spec, method: Method, workers: Workers) -> None:
        threadpool_limits(1)
        kernels.set_threads(1)
        _, problem = learnt(spec)
        everyone = participants(spec)
        own = replace(problem, shards=problem.shards.only(int(workers[0]), int(workers[-1])))
        forget()  # the rest of the data is others' business
        reading = reading_of(spec)
        adversary = _adversary(spec, everyone)
        super().__init__(
            Crew(method.worker, own.oracle(workers), own.start(), workers, adversary.idle),
            adversary,
            Participation(everyone, spec.participation, spec.seed),
            reading if isinstance(reading, Counted) else None,
            Kind.MODEL if spec.recipe.penalised else Kind.GRADIENT,
            Follower(method.master, own.dimension),
        )
        self.warm_up(own.start())


def _adversary(spec: Spec, workers: Workers) -> Adversary:
    attack, liars = lying(spec)
    return Adversary(cast(Any, attack), workers, liars, spec.seed, works(spec))
