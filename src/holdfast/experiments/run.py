"""Run a spec to its end, in one go or in several."""

from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from holdfast.data import FILE_TYPES
from holdfast.data import REGISTRY as DATA
from holdfast.engines import Recorder
from holdfast.engines.options import ENGINES
from holdfast.engines.training import train
from holdfast.errors import EngineError, InvalidInput, TooFew
from holdfast.experiments.assembly import Experiment, assemble
from holdfast.experiments.automatic import resolve_auto
from holdfast.experiments.checkpoint import Checkpoint
from holdfast.experiments.defaults import resolved
from holdfast.experiments.folder import RunFolder
from holdfast.experiments.gradients import with_gradients, with_gradients_of
from holdfast.experiments.metrics import Evaluation, ceiling, evaluate
from holdfast.experiments.parts import traffic_of
from holdfast.experiments.personal import personal
from holdfast.experiments.result import Result
from holdfast.experiments.spec import Spec
from holdfast.experiments.watching import Interrupted, Unwatched, Watcher
from holdfast.problems import Problem
from holdfast.states import arrays_of, filled


def _never() -> bool:
    return False


def run(
    spec: Spec,
    folder: Path | str | Callable[[], Path] | None = None,
    watcher: Watcher | None = None,
    stopping: Callable[[], bool] = _never,
) -> Result:
    """Run a spec from its first round; with a folder, so that it can be resumed.

    The folder is new or empty, or a function that makes such a one once all else is known to work.

    >>> result = run(Spec(data="digits", rounds=20, eval_every=10))
    >>> [evaluation.round for evaluation in result.history]
    [10, 20]
    """
    if folder is not None and not callable(folder):
        RunFolder.check_new(Path(folder))
    spec = with_gradients(resolve_auto(resolved(spec)))
    experiment = assemble(spec)
    with closing(experiment.engine), _created(folder, spec, experiment) as store:
        return _Run(spec, experiment, store, watcher or Unwatched(), stopping).play()


def resume(
    folder: Path | str,
    watcher: Watcher | None = None,
    stopping: Callable[[], bool] = _never,
    *,
    engine: Any = None,
    data: Any = None,
) -> Result:
    """Resume an interrupted run, to exactly where it would have got without the interruption.

    On the `engine` it ran on before unless another is given, which changes no number. A run on data that were
    given as an object must be given the same `data` again.
    """
    watcher = watcher or Unwatched()
    with RunFolder.own(Path(folder)) as store:
        began = store.beginning
        spec = replace(began.spec, engine=began.about["engine"])
        if engine is not None:
            spec = with_gradients_of(spec, ENGINES.make(engine))
        spec = _with_data(spec, data)
        began.check_sources(spec)
        experiment = assemble(spec)
        began.check_data(_digest(experiment))
        checkpoint, history, warnings = store.restore()
        for warning in (*store.go_on(spec), *warnings):
            watcher.warned(warning)
        run = _Run(spec, experiment, store, watcher, stopping)
        with closing(experiment.engine):
            if checkpoint is not None:
                run.restore(checkpoint, history)
            return run.play()


def simulate(
    problem: Problem, method: Any, *, attack: Any = None, byzantine: int | tuple[int, ...] = 0, **training: Any
) -> Result:
    """Train on a problem that is already there: `attack`, `byzantine` and the rest are as in a spec.

    >>> from holdfast.data import ByLabel, load
    >>> from holdfast.problems import Softmax
    >>> problem = Softmax.of(load("digits"), ByLabel(), workers=20, scale=16.0)
    >>> simulate(problem, "rsa:penalty=0.5", attack="duplicate", byzantine=8, rounds=300).accuracy > 0.4
    True
    """
    if not isinstance(problem, Problem):
        raise InvalidInput(f"simulate needs a problem such as Softmax.of(...) makes; got {type(problem).__name__}")
    m = len(problem.workers)
    return run(Spec(problem=problem, workers=m, method=method, attack=attack, byzantine=byzantine, **training))


def _with_data(spec: Spec, data: Any) -> Spec:
    if data is not None:
        return replace(spec, data=data)
    name = spec.data
    if name not in DATA and ":" not in name and Path(name).suffix not in FILE_TYPES:
        raise InvalidInput(f"a run on data made in Python resumes with resume(folder, data=...); got the name {name!r}")
    return spec


def _created(
    folder: Path | str | Callable[[], Path] | None, spec: Spec, experiment: Experiment
) -> AbstractContextManager[RunFolder | None]:
    if folder is None:
        return nullcontext()
    digest = _digest(experiment)
    return RunFolder.create(folder() if callable(folder) else Path(folder), spec, digest)


def _digest(experiment: Experiment) -> str:
    if experiment.dataset is None:
        raise InvalidInput("a run in a folder needs data that can be loaded again; got a problem made in Python")
    return experiment.dataset.digest()


class _Run:
    """A run under way."""

    def __init__(
        self,
        spec: Spec,
        experiment: Experiment,
        store: RunFolder | None,
        watcher: Watcher,
        stopping: Callable[[], bool],
    ) -> None:
        self.spec, self.experiment, self.store = spec, experiment, store
        self.watcher, self.stopping = watcher, stopping
        self.engine = Recorder(experiment.engine)
        self.state = experiment.master.init(experiment.problem.start())
        self.round = 0
        self.history: list[Evaluation] = []
        self.diverged: int | None = None
        self.seconds = self.evaluation_seconds = 0.0

    def restore(self, checkpoint: Checkpoint, history: list[Evaluation]) -> None:
        engine = self.experiment.engine
        self.state = filled(self.state, checkpoint.master)
        engine.state, engine.absent = filled(engine.state, checkpoint.workers), checkpoint.absent
        self.round, self.history = checkpoint.round, history
        self.seconds, self.evaluation_seconds = checkpoint.seconds, checkpoint.evaluation_seconds

    def play(self) -> Result:
        self.experiment.engine.start()
        self.watcher.started(self.spec, self.round)
        if (local_steps := getattr(self.spec.method, "local_steps", 1)) > 1:
            self.watcher.warned(f"the paper's theorems are about 1 local step a round; got {local_steps}")
        while self.round < self.spec.rounds and self.diverged is None:
            try:
                self._go_on()
            except EngineError as error:
                if isinstance(error, TooFew):  # the workers are again as they were after this round
                    self._save()
                raise Interrupted(self.round, self._folder, f": {error}") from None
            if self.stopping() and self.round < self.spec.rounds:
                raise Interrupted(self.round, self._folder)
        return self._result()

    @property
    def _folder(self) -> Path | None:
        return self.store.path if self.store else None

    def _go_on(self) -> None:
        """Train to the next pause, and do what is due there."""
        self._train(until=self._next_pause())
        if self.diverged is None and self._due(self.spec.eval_every):
            self._evaluate()
        if self.diverged is None and (self.stopping() or self._due(self.spec.checkpoint_every)):
            self._save()

    def _next_pause(self) -> int:
        every = (self.spec.eval_every, self.spec.checkpoint_every)
        return min(self.spec.rounds, *(self.round - self.round % n + n for n in every))

    def _due(self, every: int) -> bool:
        return self.round % every == 0 or self.round == self.spec.rounds

    def _train(self, until: int) -> None:
        begun = perf_counter()
        rounds = range(self.round, until)
        for state in train(self.experiment.master, self.engine, self.state, rounds):
            self.state = state
            self.round += 1
            self.watcher.played(self.round)
            if not np.isfinite(self.state.model).all():
                self.diverged = self.round
                break
            if self.stopping():
                break
        self.seconds += perf_counter() - begun

    def _evaluate(self) -> None:
        begun = perf_counter()
        evaluation = evaluate(self.experiment, self.state.model, self.round, self.engine.last)
        self.evaluation_seconds += perf_counter() - begun
        if not evaluation.finite:
            self.diverged = self.round
            return
        self.history.append(evaluation)
        if self.store:
            self.store.record(evaluation)
        self.watcher.evaluated(evaluation)

    def _save(self) -> None:
        if self.store:
            self.store.save(
                self.round,
                arrays_of(self.state),
                arrays_of(self.experiment.engine.state),
                seconds=self.seconds,
                evaluation_seconds=self.evaluation_seconds,
                absent=self.experiment.engine.absent,
            )

    def _result(self) -> Result:
        model, begun = self.state.model, perf_counter()
        measured = personal(self.experiment, model) if self.diverged is None else None
        self.evaluation_seconds += perf_counter() - begun
        bytes_up, bytes_down = map(round, traffic_of(self.spec, model, self.round, self.experiment.engine.voters))
        result = Result(
            spec=self.spec,
            model=model,
            history=self.history,
            rounds=self.round,
            diverged=self.diverged,
            ceiling=ceiling(self.experiment),
            bytes_up=bytes_up,
            bytes_down=bytes_down,
            seconds=self.seconds,
            evaluation_seconds=self.evaluation_seconds,
            folder=self._folder,
            absent=self.experiment.engine.absent,
            personal=measured,
        )
        if self.store:
            self.store.finish(result.to_json(), model)
        return result
