"""Data sets and problems of specs. A workbench holds what was built last, for runs that follow each other."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import numpy as np

from holdfast.data import Data, Dataset, as_source, load
from holdfast.data.feature_scale import Scaling
from holdfast.errors import InvalidInput
from holdfast.problems import PROBLEMS, ModuleProblem, Problem, is_problem
from holdfast.problems.modules.learner import LOSSES
from holdfast.runs.composition import attack_and_byzantine, participants
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import require_number
from holdfast.runs.standardisation import Reporting
from holdfast.runs.survey import Surveys

T = TypeVar("T")

STANDARD: Literal["standard"] = "standard"
"""The scale of features that are standardised."""
FileStamps = tuple[tuple[int, int], ...]
"""Time and size of each file of some data: a changed file is another one."""


@dataclass(frozen=True, eq=False)
class Built:
    """The problem of a spec, and what it was made of."""

    dataset: Dataset | None
    """None where the problem was made in Python."""
    problem: Problem
    scaling: Scaling | None
    """What features are shifted and divided by; None where they are not."""


class Network(NamedTuple):
    """What a spec says of a PyTorch model."""

    model: Any
    normalise: str | None
    augment: str | None
    device: str | None


class _Last(Generic[T]):
    """The value made last, by its key."""

    def __init__(self) -> None:
        self._held: dict[Hashable, T] = {}

    def find(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value of this key, made now unless it was the last one."""
        if key not in self._held:
            value = make()
            self._held = {key: value}
        return self._held[key]


class Workbench:
    """Holds the data set, the scaling and the problem asked for last, and the surveys of problems.

    Runs that follow each other mostly differ in their method only: given the same workbench they share all of these.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Release the data held in memory."""
        self.surveys = Surveys()
        self._datasets, self._scalings = _Last[Dataset](), _Last[Scaling]()
        self._problems = _Last[Problem]()

    def load(self, data: Data) -> Dataset:
        """Return the data set of a spec's `data`."""
        return self._datasets.find((data, _stamp_files(data)), lambda: load(data))

    def build(self, spec: Spec) -> Built:
        """Return the problem of a spec whose defaults are filled in."""
        if is_problem(spec.problem):
            return Built(None, _choose_gradients(_require_workers(spec.problem, spec), spec), None)
        scaling = self._standardise(spec) if spec.scale == STANDARD else None
        network = None if spec.model is None else Network(spec.model, spec.normalise, spec.augment, spec.device)
        dealt = spec.dealing, spec.workers, spec.batch
        options = {
            "scale": 1.0 if spec.scale == STANDARD else require_number(spec.scale),
            "weight": 1 / spec.workers if spec.weighting == "mean" else 1.0,
            "dtype": spec.dtype,
            "seed": spec.seed,
        }

        def make() -> Problem:
            dataset = self.load(spec.data)
            samples = dataset if scaling is None else scaling.dataset(dataset, spec.dtype)
            return _require_problem(_find_maker(spec.problem, network)(samples, *dealt, **options))

        key = spec.problem, spec.data, _stamp_files(spec.data), network, scaling, dealt, *options.values()
        problem = self._problems.find(key, make)
        return Built(self.load(spec.data), _choose_gradients(_require_workers(problem, spec), spec), scaling)

    def _standardise(self, spec: Spec) -> Scaling:
        attack, byzantine = attack_and_byzantine(spec)
        reporting = Reporting(
            spec.dealing,
            spec.workers,
            tuple(participants(spec).tolist()),
            attack,
            byzantine,
            int(require_number(spec.declared)),
            spec.seed,
            with_target=not getattr(PROBLEMS.make(spec.problem), "classifies", True),
        )
        key = reporting, spec.data, _stamp_files(spec.data)
        return self._scalings.find(key, lambda: reporting.scaling(self.load(spec.data)))


SHARED = Workbench()
"""The workbench of this process, where no other is given."""


def _stamp_files(data: Data) -> FileStamps:
    try:
        stamps = [Path(file).stat() for file in as_source(data).files]
        return tuple((about.st_mtime_ns, about.st_size) for about in stamps)
    except (OSError, ValueError):  # loading says what is wrong with the file
        return ()


def _find_maker(kind: Any, network: Network | None) -> Any:
    """Return what makes a problem of samples, a partition, workers and a batch size."""
    factory = PROBLEMS.make(kind)
    if network is None:
        return getattr(factory, "of", factory)
    if factory not in LOSSES:
        known = ", ".join(PROBLEMS.registry)
        raise InvalidInput(f"a model takes its loss from one of the problems {known}; got {factory!r}")
    return partial(ModuleProblem.of, kind=factory, **network._asdict())


def _require_problem(made: object) -> Problem:
    if not is_problem(made):
        kind = type(made).__name__
        raise InvalidInput(f"a problem must have what holdfast.problems.Problem asks for; got {kind}")
    return made


def _require_workers(problem: Problem, spec: Spec) -> Problem:
    if not np.array_equal(problem.workers, np.arange(1, spec.workers + 1)):
        raise InvalidInput(f"a problem must have the workers 1 to {spec.workers}; got {len(problem.workers)} workers")
    return problem


def _choose_gradients(problem: Problem, spec: Spec) -> Problem:
    """Return the problem with its gradients computed as the spec says, if there is a choice."""
    if isinstance(problem, ModuleProblem):
        return problem.using(spec.gradients or problem.way, spec.chunk or problem.chunk)
    if spec.gradients or spec.chunk:
        raise InvalidInput(f"gradients and chunk are options of a model; got problem {type(problem).__name__}")
    return problem
