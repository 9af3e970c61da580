"""A run under way, from its first round or a checkpoint to its end."""

from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

import numpy as np

from holdfast.engines import Recorder
from holdfast.engines.engine import FAULTS, train
from holdfast.errors import EngineError, TooFew
from holdfast.runs.cautions import caution_after, caution_before
from holdfast.runs.composition import estimate_traffic
from holdfast.runs.experiment import Experiment
from holdfast.runs.folder.checkpoint import Checkpoint
from holdfast.runs.folder.run_folder import RunFolder
from holdfast.runs.metrics import Evaluation, evaluate, measure_ceiling, measure_guessing
from holdfast.runs.observers import Interrupted, Observer
from holdfast.runs.personal import measure_personal
from holdfast.runs.predictor import Predictor
from holdfast.runs.records import Result
from holdfast.runs.spec import Spec
from holdfast.states import arrays_of, fill_state
from holdfast.typing import Vector
from holdfast.watching import opinion_in


class Execution:
    """A run under way: trains, evaluates and saves what is due, and makes the result."""

    def __init__(
        self,
        spec: Spec,
        experiment: Experiment,
        store: RunFolder | None,
        observer: Observer,
        stopping: Callable[[], bool],
    ) -> None:
        self.spec, self.experiment, self.store = spec, experiment, store
        self.observer, self.stopping = observer, stopping
        self.engine = Recorder(experiment.engine)
        experiment.engine.attend(stopping, observer.warn)
        self.state = experiment.program.init(experiment.problem.start())
        self.round = 0
        self.history: list[Evaluation] = []
        self.diverged: int | None = None
        self.past_faults: Sequence[str] = ()
        self.cautions = caution_before(spec, experiment)
        self.seconds = self.evaluation_seconds = 0.0
        self.average = np.zeros(len(self.state.model)) if spec.evaluated == "average" else None

    @property
    def model(self) -> Vector:
        """The model that is measured and kept."""
        x0: Vector = self.state.model
        return x0 if self.average is None else self.average.astype(x0.dtype)

    def restore(self, checkpoint: Checkpoint, history: list[Evaluation]) -> None:
        engine = self.experiment.engine
        self.state = fill_state(self.state, checkpoint.master)
        engine.state, engine.absent = fill_state(engine.state, checkpoint.workers), checkpoint.absent
        engine.adversary.restore_memory(checkpoint.attack, self.state.model)
        if self.average is not None:
            self.average = np.array(checkpoint.average["x0"])
        self.round, self.history, self.past_faults = checkpoint.round, history, checkpoint.faults
        self.seconds, self.evaluation_seconds = checkpoint.seconds, checkpoint.evaluation_seconds

    def play(self, checkpoint: Checkpoint | None = None, history: Sequence[Evaluation] = ()) -> Result:
        """Play to the end, from a checkpoint or the beginning; what stops the workers interrupts the run."""
        try:
            if checkpoint is not None:
                self.restore(checkpoint, list(history))
            return self._play()
        except EngineError as error:
            raise Interrupted(self.round, self._folder, f": {error}") from None

    def _play(self) -> Result:
        self.experiment.engine.start()
        self.observer.start(self.spec, self.round)
        for caution in self.cautions:
            self.observer.warn(caution)
        while self.round < self.spec.rounds and self.diverged is None:
            try:
                self._advance()
            except TooFew:  # the workers are again as they were after this round
                self._save()
                raise
            if self.stopping() and self.round < self.spec.rounds:
                raise Interrupted(self.round, self._folder)
        return self._result()

    @property
    def _faults(self) -> Sequence[str]:
        return (*self.past_faults, *self.experiment.engine.faults)[-FAULTS:]

    @property
    def _folder(self) -> Path | None:
        return self.store.path if self.store else None

    def _advance(self) -> None:
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
        for state in train(self.experiment.program, self.engine, self.state, rounds):
            self.state = state
            self.round += 1
            if self.average is not None:
                self.average += (state.model - self.average) / self.round
            self.observer.count(self.round)
            if not np.isfinite(self.state.model).all():
                self.diverged = self.round
                break
            if self.stopping():
                break
        self.seconds += perf_counter() - begun

    def _evaluate(self) -> None:
        begun = perf_counter()
        evaluation = evaluate(
            self.experiment, self.state.model, self.round, self.engine.last, self.model, opinion_in(self.state)
        )
        self.evaluation_seconds += perf_counter() - begun
        if not evaluation.finite:
            self.diverged = self.round
            return
        self.history.append(evaluation)
        if self.store:
            self.store.record(evaluation)
        self.observer.show(evaluation)

    def _save(self) -> None:
        if self.store:
            self.store.save(
                self.round,
                arrays_of(self.state),
                arrays_of(self.experiment.engine.state),
                seconds=self.seconds,
                evaluation_seconds=self.evaluation_seconds,
                absent=self.experiment.engine.absent,
                faults=self._faults,
                attack=self.experiment.engine.adversary.pack_memory(),
                average={} if self.average is None else {"x0": self.average},
            )

    def _result(self) -> Result:
        model, begun = self.model, perf_counter()
        measured = measure_personal(self.experiment, model) if self.diverged is None else None
        self.evaluation_seconds += perf_counter() - begun
        predictor, ended, guessing = None, list[str](), measure_guessing(self.experiment)
        if self.diverged is None:
            predictor = Predictor.of(self.experiment.built, model)
            ended = caution_after(self.experiment, self.history[-1], guessing) if self.history else []
        for caution in ended:
            self.observer.warn(caution)
        program, voters = self.experiment.program, self.experiment.engine.voters
        bytes_up, bytes_down = map(round, estimate_traffic(self.spec, program, model, self.round, voters))
        result = Result(
            spec=self.spec,
            model=model,
            history=self.history,
            rounds=self.round,
            diverged=self.diverged,
            ceiling=measure_ceiling(self.experiment),
            guessing=guessing,
            warnings=(*self.cautions, *ended),
            bytes_up=bytes_up,
            bytes_down=bytes_down,
            seconds=self.seconds,
            evaluation_seconds=self.evaluation_seconds,
            folder=self._folder,
            absent=self.experiment.engine.absent,
            faults=tuple(self._faults),
            personal=measured,
            predictor=predictor,
        )
        if self.store:
            self.store.finish(result.to_json(), model, predictor)
        return result
