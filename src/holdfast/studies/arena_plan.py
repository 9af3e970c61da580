"""What an arena plays: every method under every attack, for every task, partition and number of Byzantine workers."""

from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

from holdfast.attacks import Attack
from holdfast.data import PARTITIONS, Data, Partition
from holdfast.errors import InvalidInput
from holdfast.methods import Method
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import data_labels, model_text

LINEAR = "linear"
"""What having no network is called."""


class Task(NamedTuple):
    """What is learned: which data, by which network, None for a linear model.

    Each has a name where the arena has several of its kind.
    """

    data: Data
    model: Any
    data_name: str = ""
    model_name: str = ""

    @property
    def text(self) -> str:
        """What tells the task from the others of its arena; nothing where it is the only one."""
        return ", ".join(filter(None, (self.data_name, self.model_name)))


class Condition(NamedTuple):
    """Where methods meet: task, partition, and the numbers of Byzantine workers, true and declared."""

    task: Task
    partition: Partition
    byzantine: int
    declared: int

    @property
    def text(self) -> str:
        return f"{self.task.text}, {self.within_task}" if self.task.text else self.within_task

    @property
    def within_task(self) -> str:
        """What tells the condition from the others of its task."""
        if not self.byzantine:
            return f"{PARTITIONS.text(self.partition)}, no attack"
        told = "" if self.declared == self.byzantine else f", told {self.declared}"
        return f"{PARTITIONS.text(self.partition)}, q = {self.byzantine}{told}"


class Bout(NamedTuple):
    """One method under one attack in one condition; None stands for no attack."""

    condition: Condition
    method: Method
    attack: Attack | None


@dataclass(frozen=True)
class Arena:
    """All bouts, each played with every seed; every data set is learned by every model.

    `counts` holds pairs of the true and the told number of Byzantine workers. Whatever they are, each partition is
    also played without an attack, and the first pair's told number: what a defence costs when it is not needed. With
    `honest` there are as many honest workers in every condition, and the Byzantine ones beside them.
    """

    base: Spec
    data: tuple[Data, ...]
    models: tuple[Any, ...]
    methods: tuple[Method, ...]
    attacks: tuple[Attack, ...]
    partitions: tuple[Partition, ...]
    counts: tuple[tuple[int, int], ...]
    seeds: tuple[int, ...] = (0,)
    honest: int | None = None

    def __post_init__(self) -> None:
        for name in ("data", "models", "methods", "attacks", "partitions", "counts", "seeds"):
            given = getattr(self, name)
            if not given or len(set(given)) != len(given):
                raise InvalidInput(f"an arena needs at least one of {name}, all different; got {list(given)}")
        if self.honest is not None and self.honest < 1:
            raise InvalidInput(f"honest must be at least 1; got {self.honest}")
        for true, _ in self.counts:
            if true < 1:
                raise InvalidInput(f"byzantine must be at least 1; got {true}")
            if self.honest is None and true >= self.base.workers:
                raise InvalidInput(f"byzantine must be at most workers - 1 = {self.base.workers - 1}; got {true}")
        for method in self.methods:
            if not method.attacked:
                raise InvalidInput(f"an arena is for methods that can be attacked; got {method}")
        for task in self.tasks():
            self.task_spec(task)

    def tasks(self) -> list[Task]:
        """Return every data set with every model."""
        labels = data_labels(self.data)
        return [
            Task(
                data,
                model,
                labels[data] if len(self.data) > 1 else "",
                (LINEAR if model is None else model_text(model)) if len(self.models) > 1 else "",
            )
            for data, model in product(self.data, self.models)
        ]

    def task_spec(self, task: Task) -> Spec:
        """Return the base with what is learned; what it says of networks must fit a linear model, too."""
        return replace(self.base, data=task.data, model=task.model)

    def conditions(self) -> list[Condition]:
        """Return all conditions: for every task and partition first without an attack."""
        pairs = ((0, self.counts[0][1]), *self.counts)
        return [
            Condition(task, partition, *pair) for task, partition, pair in product(self.tasks(), self.partitions, pairs)
        ]

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
            self.task_spec(condition.task),
            method=method,
            attack=attack,
            partition=condition.partition,
            workers=self.base.workers if self.honest is None else self.honest + condition.byzantine,
            byzantine=condition.byzantine,
            declared=condition.declared,
        )
        return [replace(spec, seed=seed) for seed in self.seeds]
