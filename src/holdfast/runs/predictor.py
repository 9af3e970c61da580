"""A model that was learned, with all that is needed to use it: docs/using-a-model.md describes its file."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.data import Column, Encoded, Layout, Table, is_frame, read_frame
from holdfast.data.feature_scale import Scaling
from holdfast.errors import InvalidInput
from holdfast.problems import REGISTRY, LinearProblem
from holdfast.runs.workbench import Built
from holdfast.typing import Json, Vector

Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Predictor:
    """Linear scores of samples as they come: `weights @ sample + biases`; scales are already part of both."""

    problem: str
    weights: Matrix
    """One row per score, one column per feature."""
    biases: NDArray[np.float64]
    labels: tuple[Any, ...] | None = None
    """The classes, in the order of the scores; None where a number is predicted."""
    layout: Layout | None = None
    """How features are made of the columns of a table; None where the data were none."""
    scaling: Scaling | None = None
    """What features were shifted and divided by while the model was learned."""

    @staticmethod
    def of(built: Built, model: Vector) -> "Predictor | None":
        """Return a problem's model for use; None for problems whose models only they understand."""
        problem, dataset, scaling = built.problem, built.dataset, built.scaling
        name = next((name for name, kind in REGISTRY.items() if type(problem) is kind), None)
        if name is None or dataset is None or not isinstance(problem, LinearProblem):
            return None
        inner = np.asarray(model, np.float64)
        split = len(inner) - problem.outputs
        weights, biases = inner[:split].reshape(problem.outputs, -1) * problem.shards.scale, inner[split:]
        if scaling is not None:  # scores of (x - centre) / width, as scores of x
            centre, unit = scaling.target
            weights = weights / scaling.width * unit
            biases = biases * unit + centre - weights @ scaling.centre
        labels = dataset.number_classes().labels if problem.classifies else None
        return Predictor(name, weights, biases, labels, dataset.layout, scaling)

    @property
    def features(self) -> int:
        """How many features a sample has."""
        return int(self.weights.shape[1])

    # -- use -----------------------------------------------------------------------------------------------------

    def predict(self, data: Any) -> NDArray[Any]:
        """Return the class of each sample, or the number that is predicted for it.

        Samples are an array, one row each, with features as in the training data, or a table: a pandas DataFrame, a
        file, with or without its target.
        """
        if self.labels is None:
            return np.asarray(self.scores(data)[:, 0])
        return np.asarray(np.array(self.labels)[self.places(data)])

    def places(self, data: Any) -> NDArray[np.int64]:
        """Return the place of each sample's class among the labels."""
        scores = self.scores(data)
        return np.asarray(scores.argmax(axis=1) if scores.shape[1] > 1 else scores[:, 0] > 0).astype(np.int64)

    def probabilities(self, data: Any) -> Matrix:
        """Return how likely each class is, one row per sample and one column per class, in the order of `labels`."""
        if self.labels is None:
            raise InvalidInput(f"probabilities need classes; got a model of {self.problem}")
        scores = self.scores(data)
        if scores.shape[1] == 1:
            scores = np.hstack([np.zeros_like(scores), scores])
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(likely / likely.sum(axis=1, keepdims=True))

    def scores(self, data: Any) -> Matrix:
        """Return the linear scores of samples, one row each."""
        return np.asarray(self._samples(data) @ self.weights.T + self.biases)

    def _samples(self, data: Any) -> Matrix:
        if is_frame(data) or isinstance(data, str | Path | Table):
            return self.encode(data).features
        array = np.asarray(data)
        if array.dtype.kind not in "biuf" or array.ndim < 2:
            raise InvalidInput(f"samples must be rows of numbers; got an array of {array.dtype}, shape {array.shape}")
        flat = array.reshape(len(array), -1).astype(np.float64)
        if flat.shape[1] != self.features:
            raise InvalidInput(f"samples must have {self.features} features, as in training; got {flat.shape[1]}")
        if not np.isfinite(flat).all():
            row = int(np.argwhere(~np.isfinite(flat))[0, 0])
            raise InvalidInput(f"samples must be finite numbers; got NaN or infinity in sample {row + 1}")
        return flat

    def encode(self, table: Any) -> Encoded:
        """Return the features of a table, and how many of its texts were never seen in training."""
        sheet = read_frame(table) if is_frame(table) else Table.of(str(table)).sheet()
        layout = self.layout
        if layout is None:  # learned from arrays, whose features have no names
            layout = Layout(tuple(Column(name) for name in sheet.columns), target="")
            if len(layout.columns) != self.features:
                raise InvalidInput(f"{sheet.name} must have {self.features} columns; got {len(layout.columns)}")
        return layout.encode(sheet, targets=False)

    # -- as a file -----------------------------------------------------------------------------------------------

    def to_json(self) -> Json:
        """Return it as strict JSON has it."""
        return {
            "problem": self.problem,
            "weights": self.weights.tolist(),
            "biases": self.biases.tolist(),
            "labels": None if self.labels is None else list(self.labels),
            "layout": None if self.layout is None else self.layout.to_json(),
            "scaling": None if self.scaling is None else self.scaling.to_json(),
        }

    @staticmethod
    def of_json(values: Mapping[str, Any]) -> "Predictor":
        """Return what `to_json` wrote."""
        weights, biases = np.array(values["weights"], np.float64), np.array(values["biases"], np.float64)
        if weights.ndim != 2 or biases.shape != weights.shape[:1]:
            raise ValueError("weights and biases of other shapes")
        labels, layout, scaling = values["labels"], values["layout"], values["scaling"]
        return Predictor(
            values["problem"],
            weights,
            biases,
            None if labels is None else tuple(labels),
            None if layout is None else Layout.of_json(layout),
            None if scaling is None else Scaling.of_json(scaling),
        )


def to_sklearn(predictor: Predictor) -> Any:
    """Return a fitted scikit-learn estimator that predicts the same: LogisticRegression, or LinearRegression."""
    from sklearn.linear_model import LinearRegression, LogisticRegression

    if predictor.labels is None:
        estimator = LinearRegression()
        estimator.coef_, estimator.intercept_ = predictor.weights[0].copy(), float(predictor.biases[0])
    else:
        estimator = LogisticRegression()
        estimator.coef_, estimator.intercept_ = predictor.weights.copy(), predictor.biases.copy()
        estimator.classes_ = np.array(predictor.labels)
    estimator.n_features_in_ = predictor.features
    return estimator
