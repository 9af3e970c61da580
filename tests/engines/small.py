"""A small problem with workers that differ, and the two kinds of engines on it."""

from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

import numpy as np
from loopback import Loopback

from holdfast.attacks import Attack
from holdfast.engines import Simulated
from holdfast.engines.adversary import Adversary
from holdfast.engines.remote import Agreement, Remote, Station, divide
from holdfast.engines.wire import Kind
from holdfast.engines.worker_group import Participation
from holdfast.methods import InverseSqrt, Method, Program, Ridge, Rsa, Served, Setting
from holdfast.problems import REGISTRY, LinearProblem, Shards
from holdfast.typing import Worker, Workers

SEED = 3
SETTING = Setting(InverseSqrt(0.1), Ridge(0.01), declared=2)


@cache
def problem(dtype: str = "float32", workers: int = 7) -> LinearProblem:
    generator = np.random.default_rng(12)
    owner = np.repeat(np.arange(workers), 5)
    features = generator.normal(size=(len(owner), 4)) + generator.normal(size=(workers, 4))[owner]
    shards = Shards.deal(
        features.astype(dtype), generator.integers(0, 3, len(owner)), np.split(np.arange(len(owner)), workers),
        dtype=dtype,
    )  # fmt: skip
    return REGISTRY["softmax"](shards, 3, 4, 1 / workers, seed=SEED)


@dataclass(frozen=True)
class Setup:
    """A run on the small problem, for either engine."""

    method: Method = field(default_factory=lambda: Rsa(penalty=0.05))
    attack: Attack | None = None
    byzantine: tuple[int, ...] = ()
    share: float = 1.0
    dtype: str = "float32"
    computing_always: bool = False
    worker: Worker[Any] | None = None
    setting: Setting = SETTING

    @property
    def workers(self) -> Workers:
        return np.arange(1, 8)

    @property
    def program(self) -> Program:
        program = self.method.program(self.setting)
        return program if self.worker is None else replace(program, worker=self.worker)

    def simulated(self) -> Simulated:
        own = problem(self.dtype)
        return Simulated(
            self.program, own.oracle(self.workers), own.start(), self.workers, byzantine=self.byzantine,
            attack=self.attack, seed=SEED, share=self.share, computing_always=self.computing_always,
        )  # fmt: skip

    def agreement(self) -> Agreement:
        adversary = Adversary(self.attack, self.workers, self.byzantine, SEED, self.computing_always)
        participation = Participation(self.workers, self.share, SEED)
        kind = Kind.MODEL if self.method.penalised else Kind.GRADIENT
        return Agreement(self.program, adversary, participation, kind)

    def station(self, workers: Workers) -> Station:
        own = problem(self.dtype)
        return Station(self.agreement(), own.oracle(workers), own.start(), workers)

    def remote(self, members: int = 2, **options: Any) -> tuple[Remote, Loopback]:
        parts = divide(self.workers, members)
        transport = Loopback([partial(self.station, part) for part in parts])
        return Remote(self.agreement(), problem(self.dtype).start(), transport, parts, **options), transport

    def start(self) -> Served:
        return self.program.init(problem(self.dtype).start())
