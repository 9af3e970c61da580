"""Run a spec to its end, in one go or in several."""

from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from holdfast.data import as_source
from holdfast.errors import InvalidInput
from holdfast.problems import Problem, is_problem
from holdfast.runs.execution import Execution
from holdfast.runs.experiment import Experiment, assemble
from holdfast.runs.folder.run_folder import RunFolder
from holdfast.runs.observers import LoggingObserver, Observer, RoundsBar
from holdfast.runs.plan import Plan, make_plan, remake_plan
from holdfast.runs.records import Result
from holdfast.runs.spec import Spec


def _never() -> bool:
    return False


def run(
    spec: Spec | Plan,
    folder: Path | str | Callable[[], Path] | None = None,
    observer: Observer | None = None,
    stopping: Callable[[], bool] = _never,
    *,
    progress: bool = False,
) -> Result:
    """Run a spec, or the plan of one, from its first round; with a folder, so that it can be resumed.

    The folder is new or empty, or a function that makes such a one once all else is known to work. `progress` shows a
    bar, on a terminal or in a notebook.

    >>> result = run(Spec(data="digits", rounds=20, eval_every=10))
    >>> [evaluation.round for evaluation in result.history]
    [10, 20]
    """
    if progress:
        with RoundsBar() as bar:
            return run(spec, folder, observer or bar, stopping)
    if folder is not None and not callable(folder):
        RunFolder.check_new(Path(folder))
    plan = spec if isinstance(spec, Plan) else make_plan(spec)
    experiment = assemble(plan)
    with closing(experiment.engine), _create_folder(folder, plan.spec, experiment) as store:
        result = Execution(plan.spec, experiment, store, observer or LoggingObserver(), stopping).play()
        return replace(result, asked=plan.asked)


def resume(
    folder: Path | str,
    observer: Observer | None = None,
    stopping: Callable[[], bool] = _never,
    *,
    engine: Any = None,
    data: Any = None,
) -> Result:
    """Resume an interrupted run, to exactly where it would have got without the interruption.

    On the `engine` it ran on before unless another is given, which changes no number. A run on data that were
    given as an object must be given the same `data` again.
    """
    observer = observer or LoggingObserver()
    with RunFolder.own(Path(folder)) as store:
        began = store.manifest
        spec = replace(began.spec, engine=began.about["engine"])
        if engine is not None:
            spec = replace(spec, engine=engine)
        spec = _with_data(spec, data)
        began.check_sources(spec)
        experiment = assemble(remake_plan(spec))
        began.check_data(_digest(experiment))
        checkpoint, history, warnings = store.restore()
        for warning in (*store.note_resume(spec), *warnings):
            observer.warn(warning)
        run = Execution(spec, experiment, store, observer, stopping)
        with closing(experiment.engine):
            return run.play(checkpoint, history)


def simulate(
    problem: Problem, method: Any, *, attack: Any = None, byzantine: int | tuple[int, ...] = 0, **training: Any
) -> Result:
    """Train on a problem that is already there: `attack`, `byzantine` and the rest are as in a spec.

    >>> from holdfast.data import ByLabel, load
    >>> from holdfast.problems import Softmax
    >>> problem = Softmax.of(load("digits"), ByLabel(), workers=20, scale=16.0)
    >>> simulate(problem, "rsa", attack="duplicate", byzantine=8, rounds=300).accuracy > 0.4
    True
    """
    if not is_problem(problem):
        raise InvalidInput(f"simulate needs a problem such as Softmax.of(...) makes; got {type(problem).__name__}")
    m = len(problem.workers)
    return run(Spec(problem=problem, workers=m, method=method, attack=attack, byzantine=byzantine, **training))


def _with_data(spec: Spec, data: Any) -> Spec:
    if data is not None:
        return replace(spec, data=data)
    if not as_source(spec.data).known:
        raise InvalidInput(
            f"a run on data made in Python resumes with resume(folder, data=...); got the name {spec.data!r}"
        )
    return spec


def _create_folder(
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
