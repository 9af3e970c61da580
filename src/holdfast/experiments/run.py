"""Run a spec to its end, in one go or in several."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from holdfast.engines.recorder import Overheard
from holdfast.engines.training import train
from holdfast.errors import FleetError, InvalidInput, TooFew
from holdfast.experiments.assembly import Experiment, assemble, participants
from holdfast.experiments.automatic import settled
from holdfast.experiments.defaults import resolved
from holdfast.experiments.folder import Arrays, Checkpoint, RunFolder
from holdfast.experiments.metrics import Evaluation, ceiling, evaluate
from holdfast.experiments.personal import personal
from holdfast.experiments.result import Result
from holdfast.experiments.spec import Spec
from holdfast.experiments.traffic import traffic
from holdfast.experiments.watching import Interrupted, Unwatched, Watcher


def _never() -> bool:
    return False


def run(
    spec: Spec,
    folder: Path | None = None,
    watcher: Watcher | None = None,
    stopping: Callable[[], bool] = _never,
) -> Result:
    """Run a spec from its first round; with a folder, so that it can be resumed.

    >>> result = run(Spec(data="digits", rounds=20, eval_every=10))
    >>> [evaluation.round for evaluation in result.history]
    [10, 20]
    """
    spec = settled(resolved(spec))
    experiment = assemble(spec)
    store = RunFolder.create(folder, spec, experiment.dataset.digest()) if folder else None
    with closing(experiment.fleet):
        return _Run(spec, experiment, store, watcher or Unwatched(), stopping).play()


def resume(folder: Path, watcher: Watcher | None = None, stopping: Callable[[], bool] = _never) -> Result:
    """Go on with an interrupted run, to exactly where it would have got without the interruption."""
    store, watcher = RunFolder(folder), watcher or Unwatched()
    spec = store.spec()
    experiment = assemble(spec)
    store.check(experiment.dataset.digest())
    checkpoint, warnings = store.restore()
    for warning in warnings:
        watcher.warned(warning)
    run = _Run(spec, experiment, store, watcher, stopping)
    with closing(experiment.fleet):
        if checkpoint is not None:
            run.restore(checkpoint)
        return run.play()


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
        self.fleet = Overheard(experiment.fleet, len(participants(spec)))
        self.state = experiment.method.master.init(experiment.problem.start())
        self.round = 0
        self.history: list[Evaluation] = []
        self.diverged: int | None = None
        self.seconds = self.evaluation_seconds = 0.0

    def restore(self, checkpoint: Checkpoint) -> None:
        fleet = self.experiment.fleet
        self.state = _filled(self.state, checkpoint.master)
        fleet.state, fleet.absent = _filled(fleet.state, checkpoint.workers), checkpoint.absent
        self.round, self.history = checkpoint.round, checkpoint.history
        self.seconds, self.evaluation_seconds = checkpoint.seconds, checkpoint.evaluation_seconds

    def play(self) -> Result:
        self.experiment.fleet.start()
        self.watcher.started(self.spec, self.round)
        if self.spec.local_steps > 1 and self.spec.recipe.penalised:
            self.watcher.warned(f"the paper's theorems are about 1 local step a round; got {self.spec.local_steps}")
        while self.round < self.spec.rounds and self.diverged is None:
            try:
                self._go_on()
            except FleetError as error:
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
        for state in train(self.experiment.method.master, self.fleet, self.state, rounds):
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
        evaluation = evaluate(self.experiment, self.state.model, self.round, self.fleet.last)
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
                Checkpoint(
                    round=self.round,
                    master=self.state._asdict(),
                    workers=self.experiment.fleet.state._asdict(),
                    history=self.history,
                    seconds=self.seconds,
                    evaluation_seconds=self.evaluation_seconds,
                    absent=self.experiment.fleet.absent,
                )
            )

    def _result(self) -> Result:
        model, begun = self.state.model, perf_counter()
        measured = personal(self.experiment, model) if self.diverged is None else None
        self.evaluation_seconds += perf_counter() - begun
        up, down = traffic(self.spec, model, self.round, self.experiment.fleet.voters)
        result = Result(
            spec=self.spec,
            model=model,
            history=self.history,
            rounds=self.round,
            diverged=self.diverged,
            ceiling=ceiling(self.experiment),
            bytes_up=up,
            bytes_down=down,
            seconds=self.seconds,
            evaluation_seconds=self.evaluation_seconds,
            folder=self._folder,
            absent=self.experiment.fleet.absent,
            personal=measured,
        )
        if self.store:
            self.store.finish(result.to_json(), model)
        return result


def _filled(state: Any, arrays: Arrays) -> Any:
    """Return a state of the same kind with these arrays."""
    if set(arrays) != set(state._fields):
        raise InvalidInput(f"a checkpoint must hold {state._fields}; got {tuple(arrays)}")
    return type(state)(**arrays)
