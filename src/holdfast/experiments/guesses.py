"""What was guessed of a run's data and not asked for, to be said aloud."""

from holdfast.data import REGISTRY
from holdfast.experiments.given import data_text, problem_text
from holdfast.experiments.loading import loaded
from holdfast.experiments.spec import Spec
from holdfast.problems import Problem, guess


def guesses(asked: Spec, spec: Spec) -> list[str]:
    """Return a line for each thing that the data decided when `asked` was resolved to `spec`; none for sets of ours."""
    made = not isinstance(spec.problem, str | type) and isinstance(spec.problem, Problem)
    if made or (isinstance(spec.data, str) and spec.data in REGISTRY):
        return []
    dataset = loaded(spec.data)
    found = [f"{data_text(asked.data)}: {dataset.notes[0]}", *dataset.notes[1:]] if dataset.notes else []
    if asked.problem is None:
        found.append(f"problem: {problem_text(spec.problem)}, since {guess(dataset).why} (--problem names another)")
    if asked.scale is None and spec.scale == "standard":
        found.append("features: standardised by what the workers report (--scale 1 leaves them as they are)")
    return found
