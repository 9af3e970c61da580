"""What a run leaves behind: all that tables, charts and claims need, and the model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.methods import method_text
from holdfast.problems import REGISTRY, is_problem
from holdfast.runs.composition import attack_and_byzantine, participants
from holdfast.runs.metrics import FIELDS, METRICS, Evaluation
from holdfast.runs.personal import Personal
from holdfast.runs.predictor import Predictor, to_sklearn
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import data_text, problem_text
from holdfast.runs.verdicts import Score, choose_score, is_guessing, verdict
from holdfast.typing import Json, Vector
from holdfast.watching.opinion import share_left_out


def frame(values: object) -> Any:
    """Return a pandas DataFrame of these rows or columns."""
    try:
        pandas = import_module("pandas")
    except ImportError:
        raise InvalidInput("a frame needs pandas: pip install pandas; got no module named pandas") from None
    return pandas.DataFrame(values)


def load_report(module: str, name: str) -> Callable[..., Any]:
    """Return a function of the report."""
    found: Callable[..., Any] = getattr(import_module(f"holdfast.report.{module}"), name)
    return found


@dataclass(frozen=True, repr=False)
class Record:
    """How a run went, without its model."""

    spec: Spec
    history: Sequence[Evaluation]
    rounds: int
    """Rounds that were played; fewer than asked for if the run diverged."""
    diverged: int | None
    """The round after which something was no longer finite, if any."""
    ceiling: float | None
    """The accuracy that no method can exceed, for want of the Byzantine workers' classes."""
    seconds: float
    """Spent on rounds, without evaluations."""
    evaluation_seconds: float
    bytes_up: int = 0
    """What a worker sends in a round."""
    bytes_down: int = 0
    """What a worker receives in a round."""
    absent: int = 0
    """How often a worker was asked and its answer was late or unusable."""
    faults: Sequence[str] = ()
    """The latest unusable answers and losses of workers, one line each."""
    personal: list[Personal] | None = None
    """The honest workers' models and the master's, on each worker's own distribution."""
    failed: str | None = None
    """Why the run could not be played to its end, if so."""
    guessing: float | None = None
    """The score that needs no learning: the share of the test samples' commonest class, or 0 for R2."""
    warnings: Sequence[str] = ()
    """What is likely not meant, and what went wrong with learning, one sentence each."""

    @staticmethod
    def failure(spec: Spec, why: str) -> "Record":
        """Return the record of a run that could not be played."""
        return Record(spec, (), 0, None, None, 0.0, 0.0, failed=why)

    @property
    def original_spec(self) -> Spec:
        """The spec before numbers were inferred, as far as it is known."""
        return self.spec

    @property
    def last(self) -> Evaluation | None:
        """The final evaluation, unless the run diverged."""
        return self.history[-1] if self.history and self.diverged is None else None

    @property
    def accuracy(self) -> float | None:
        """The final test accuracy, if there is one."""
        return self.last.accuracy if self.last else None

    @property
    def score(self) -> Score:
        """What the run is judged by."""
        return choose_score([self])

    @property
    def reached(self) -> float | None:
        """The final value of the score; None of a run that diverged."""
        return self.score.of(self.last)

    @property
    def honest_left_out(self) -> float | None:
        """In what share of their rounds honest workers were left out; None if the master does not judge workers."""
        watched = self.history[-1].watched if self.history else None
        if watched is None:
            return None
        byzantine = attack_and_byzantine(self.spec)[1]
        workers = participants(self.spec).tolist()
        return share_left_out([each for worker, each in zip(workers, watched, strict=True) if worker not in byzantine])

    @property
    def guesses(self) -> bool:
        """Whether the final model is no better than guessing."""
        return is_guessing(self.score, self.reached, self.guessing)

    @property
    def verdict(self) -> str | None:
        """What to make of the score, in a sentence, where it has a scale."""
        return verdict(self.spec, self.score.name, self.reached, self.ceiling, self.guessing, self.diverged)

    @property
    def milliseconds(self) -> float:
        """The time of one round, without evaluations."""
        return 1000 * self.seconds / self.rounds

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the history by column: round, accuracy, loss, variance, distance and whatever the problem measures.

        What was not measured is NaN. `disagreement` and `twins` have one column per participant, where they are known.
        """
        rows = [evaluation.values for evaluation in self.history]
        names = dict.fromkeys([*FIELDS, *METRICS, *(name for row in rows for name in row)])
        found: dict[str, NDArray[Any]] = {"round": np.array([evaluation.round for evaluation in self.history], int)}
        found |= {name: np.array([row.get(name, np.nan) for row in rows], float) for name in names}
        lists: dict[str, list[Any]] = {
            "disagreement": [each.disagreement for each in self.history],
            "twins": [each.twins for each in self.history],
        }
        return found | {
            name: np.array(values, float) for name, values in lists.items() if values and None not in values
        }

    def frame(self) -> Any:
        """Return the history as a pandas DataFrame, one row per evaluation."""
        return frame({name: column for name, column in self.arrays().items() if column.ndim == 1})

    def plot(self) -> Any:
        """Return the score and every other metric over rounds as an altair chart."""
        return load_report("run_page", "plot")(self)

    def _repr_html_(self) -> str:
        html: str = load_report("run_page", "html")(self)
        return html

    def __repr__(self) -> str:
        kind, problem = type(self).__name__, self.spec.problem
        # a problem made in Python has loaded no data
        data = type(problem).__name__ if is_problem(problem) else data_text(self.spec.data)
        what = f"{method_text(self.spec.method)} on {data}"
        if self.failed is not None:
            return f"{kind}({what}, failed: {self.failed})"
        if self.last is None:
            return f"{kind}({what}, diverged at round {self.diverged})"
        reached = f"{self.score.name} {self.reached:{'.4f' if self.score.share else '.4g'}}"
        guesses = ", no better than guessing" if self.guesses else ""
        return f"{kind}({what}, {reached} after {self.rounds} rounds{guesses})"

    def to_json(self) -> Json:
        """Return how it went as strict JSON has it, without the spec."""
        return {
            "accuracy": self.accuracy,
            **{name: None for name in METRICS if name not in FIELDS},
            **(self.last.metrics if self.last else {}),
            "score": self.score.name,
            "loss": self.last.loss if self.last else None,
            "variance": self.last.variance if self.last else None,
            "distance": self.last.distance if self.last else None,
            "method": method_text(self.spec.method),
            "penalty": self.spec.method.penalty,
            "rate": self.spec.rate,
            "rounds": self.rounds,
            "seconds": self.seconds + self.evaluation_seconds,
            "evaluation_seconds": self.evaluation_seconds,
            "diverged": self.diverged,
            "failed": self.failed,
            "ceiling": self.ceiling,
            "guessing": self.guessing,
            "guesses": self.guesses,
            "honest_left_out": self.honest_left_out,
            "verdict": self.verdict,
            "warnings": list(self.warnings),
            "bytes_up": self.bytes_up,
            "bytes_down": self.bytes_down,
            "absent": self.absent,
            "faults": list(self.faults),
            "personal": None if self.personal is None else [asdict(worker) for worker in self.personal],
            "history": [evaluation.to_json() for evaluation in self.history],
        }

    @staticmethod
    def of(run: "Record") -> "Record":
        """Return what is kept of a run: all but the model."""
        return Record(**run._fields())

    def _fields(self) -> Json:
        """Return the fields of every record, without those of a result."""
        return {field.name: getattr(self, field.name) for field in fields(Record)}

    def dump(self) -> Json:
        """Return the record as strict JSON has it, with its spec; `read` makes it again."""
        json = self.to_json()
        plain = {name: json[name] for name in ("history", "personal", "faults", "warnings")}
        return self._fields() | plain | {"spec": self.spec.to_json()}

    @staticmethod
    def read(values: Mapping[str, Any], spec: Spec) -> "Record":
        """Return the record that these values describe, if they are of this spec.

        >>> import json
        >>> from holdfast.runs.runner import run
        >>> record = Record.of(run(Spec(data="digits", rounds=2, method="rsa:norm=inf")))
        >>> text = json.dumps(record.dump(), allow_nan=False)
        >>> Record.read(json.loads(text), record.spec) == record
        True
        """
        if values["spec"] != spec.to_json():
            raise ValueError("it is of another spec")
        history = [Evaluation.of(line) for line in values["history"]]
        personal = None if values["personal"] is None else [Personal(**line) for line in values["personal"]]
        lists = {"history": history, "personal": personal} | {key: tuple(values[key]) for key in ("faults", "warnings")}
        return Record(**{**values, "spec": spec, **lists})


@dataclass(frozen=True, repr=False, kw_only=True)
class Result(Record):
    """How a run ended, with the model that was learned."""

    history: list[Evaluation]
    model: Vector
    folder: Path | None
    asked: Spec | None = None
    """The spec before numbers were inferred, if it is known: runs of equal specs have the same name."""
    predictor: Predictor | None = None
    """The model for use on other samples, where it is one of ours."""

    @property
    def original_spec(self) -> Spec:
        return self.asked or self.spec

    def predict(self, data: Any) -> NDArray[Any]:
        """Return the class of each sample, or the number that is predicted for it; `Predictor.predict` says of what.

        >>> import holdfast as hf
        >>> digits = hf.load("digits")
        >>> result = hf.run(hf.Spec(data="digits", rounds=200, method="sgd"))
        >>> bool((result.predict(digits.test_features) == digits.test_targets).mean() == result.accuracy)
        True
        """
        return self._usable().predict(data)

    def probabilities(self, data: Any) -> NDArray[np.float64]:
        """Return how likely each class is, one row per sample."""
        return self._usable().probabilities(data)

    def to_sklearn(self) -> Any:
        """Return a fitted scikit-learn estimator that predicts the same."""
        return to_sklearn(self._usable())

    def _usable(self) -> Predictor:
        if self.predictor is None:
            why = "a model that diverged" if self.diverged is not None else f"problem {problem_text(self.spec.problem)}"
            raise InvalidInput(f"predict needs a model of {', '.join(REGISTRY)} that was learned from data; got {why}")
        return self.predictor

    def to_json(self) -> Json:
        """Return what `holdfast run --json` prints."""
        return super().to_json() | {"run": None if self.folder is None else str(self.folder)}
