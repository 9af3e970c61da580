"""What an arena plays: every method under every attack, for every partition and number of Byzantine workers."""

from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

from holdfast.attacks import Attack
from holdfast.data import PARTITIONS, Partition
from holdfast.errors import InvalidInput
from holdfast.experiments.spec import Spec
from holdfast.methods import Method


class Condition(NamedTuple):
    """Where methods meet: who holds what, how many workers are Byzantine, and how many of them rules are told."""

    partition: Partition
    byzantine: int
    declared: int

    @property
    def text(self) -> str:
        if not self.byzantine:
            return f"{PARTITIONS.text(self.partition)}, nobody lies"
        told = "" if self.declared == self.byzantine else f", told {self.declared}"
        return f"{PARTITIONS.text(self.partition)}, q = {self.byzantine}{told}"


class Bout(NamedTuple):
    """One method under one attack in one condition; None stands for nobody lying."""

    condition: Condition
    method: Method
    attack: Attack | None


@dataclass(frozen=True)
class Arena:
    """All bouts, each played with every seed.

    `counts` holds pairs of the true and the told number of Byzantine workers. Whatever they are, each partition is
    also played with nobody lying, and the first pair's told number: what a defence costs when it is not needed.
    Methods without a penalty get the momentum of the base; RSA's workers keep models of their own and none.
    """

    base: Spec
    methods: tuple[Method, ...]
    attacks: tuple[Attack, ...]
    partitions: tuple[Partition, ...]
    counts: tuple[tuple[int, int], ...]
    seeds: tuple[int, ...] = (0,)

    def __post_init__(self) -> None:
        for name in ("methods", "attacks", "partitions", "counts", "seeds"):
            given = getattr(self, name)
            if not given or len(set(given)) != len(given):
                raise InvalidInput(f"an arena needs at least one of {name}, all different; got {list(given)}")
        for true, _ in self.counts:
            if not 1 <= true < self.base.workers:
                raise InvalidInput(f"byzantine must be from 1 to workers - 1 = {self.base.workers - 1}; got {true}")
        for method in self.methods:
            if not method.attacked:
                raise InvalidInput(f"an arena is for methods that can be attacked; got {method}")

    def conditions(self) -> list[Condition]:
        """Return all conditions: for every partition first that nobody lies."""
        told = self.counts[0][1]
        return [Condition(partition, *pair) for partition in self.partitions for pair in ((0, told), *self.counts)]

    def bouts(self) -> list[Bout]:
        """Return all bouts."""
        return [
            Bout(condition, method, attack)
            for condition in self.conditions()
            for method, attack in product(self.methods, self.attacks if condition.byzantine else (None,))
        ]

    def specs(self, bout: Bout) -> list[Spec]:
        """Return the runs of a bout, one per seed."""
        condition, method, attack = bout
        spec = replace(
            self.base,
            method=method,
            attack=attack,
            partition=condition.partition,
            byzantine=condition.byzantine,
            declared=condition.declared,
            momentum=0.0 if method.penalised else self.base.momentum,
        )
        return [replace(spec, seed=seed) for seed in self.seeds]
