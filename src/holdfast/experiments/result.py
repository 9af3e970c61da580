"""What a run leaves behind."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.experiments.given import problem_text
from holdfast.experiments.metrics import Evaluation
from holdfast.experiments.predictor import Predictor, to_sklearn
from holdfast.experiments.records import Record
from holdfast.experiments.spec import Spec
from holdfast.problems import REGISTRY
from holdfast.typing import Vector


@dataclass(frozen=True, repr=False, kw_only=True)
class Result(Record):
    """How a run ended, with the model that was learnt."""

    history: list[Evaluation]
    model: Vector
    folder: Path | None
    asked: Spec | None = None
    """The spec before numbers were found by rule, as far as it is known: runs that asked for the same are named so."""
    predictor: Predictor | None = None
    """The model for use on other samples, where it is one of ours."""

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
            raise InvalidInput(f"predict needs a model of {', '.join(REGISTRY)} that was learnt from data; got {why}")
        return self.predictor

    def to_json(self) -> dict[str, Any]:
        """Return what `holdfast run --json` prints."""
        return super().to_json() | {"run": None if self.folder is None else str(self.folder)}
