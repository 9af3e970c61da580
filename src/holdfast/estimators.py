"""Robust learning as scikit-learn has it: `fit`, `predict`, and parameters that can be searched."""

from typing import Any, Self
from warnings import warn

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from holdfast.data import Dataset
from holdfast.errors import GuessingWarning, InvalidInput
from holdfast.methods import DEFAULT
from holdfast.runs.predictor import Predictor
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.typing import Array


class _Robust(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """What both estimators share; scikit-learn demands that parameters are kept as they are given."""

    def __init__(
        self,
        byzantine: Any = 0,
        *,
        attack: Any = "sign-flip",
        method: Any = DEFAULT,
        workers: int = 20,
        partition: Any = "iid",
        rounds: int = 1000,
        rate: Any = None,
        batch: int = 32,
        l2: float = 0.0,
        scale: Any = "standard",
        random_state: Any = None,
    ) -> None:
        self.byzantine = byzantine
        self.attack = attack
        self.method = method
        self.workers = workers
        self.partition = partition
        self.rounds = rounds
        self.rate = rate
        self.batch = batch
        self.l2 = l2
        self.scale = scale
        self.random_state = random_state

    def _fit(self, features: Array, targets: Array, labels: tuple[Any, ...] | None, problem: str) -> Self:
        data = Dataset("fit", features, targets, features, targets, labels=labels)
        # a few samples can only be dealt to a few workers; how many it were is said
        self.workers_ = min(self.workers, len(features) // 2)
        seed = self.random_state
        if seed is not None and not isinstance(seed, int | np.integer):
            seed = int(check_random_state(seed).randint(2**31))
        options = self.get_params(deep=False)  # those of a spec, except the seed
        del options["random_state"]
        options |= {"attack": self.attack if self.byzantine else None, "workers": self.workers_}
        options |= {"eval_every": self.rounds, "seed": 0 if seed is None else int(seed)}
        self.result_ = run(Spec(data=data, problem=problem, **options))
        if self.result_.predictor is None:
            raise InvalidInput(f"fit must end in a model; got one that diverged at round {self.result_.diverged}")
        if self.result_.guesses:
            warn(str(self.result_.verdict), GuessingWarning, stacklevel=3)
        self.predictor_: Predictor = self.result_.predictor
        self.coef_, self.intercept_, self.n_iter_ = self.predictor_.weights, self.predictor_.biases, self.result_.rounds
        return self

    def _known(self, features: Any) -> Array:
        check_is_fitted(self)
        return np.asarray(validate_data(self, features, reset=False))


class RobustClassifier(ClassifierMixin, _Robust):  # type: ignore[misc]
    """Learn classes from workers of whom some are Byzantine: logistic or softmax regression by RSA.

    The samples are dealt to `workers` (fewer if there are fewer than two samples for each), of whom `byzantine` do
    what `attack` says; the other parameters are those of a spec. `result_` is the run.

    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> bool(RobustClassifier(byzantine=4).fit(X, y).score(X, y) > 0.95)
    True
    """

    def fit(self, X: Any, y: Any) -> Self:
        features, targets = validate_data(self, X, y, ensure_min_samples=2)
        check_classification_targets(targets)
        self.classes_, codes = np.unique(targets, return_inverse=True)
        if len(self.classes_) < 2:
            raise InvalidInput(f"a classifier needs samples of at least 2 classes; got 1 class: {self.classes_[0]!r}")
        labels = tuple(self.classes_.tolist())
        return self._fit(features, codes, labels, "logistic" if len(labels) == 2 else "softmax")

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return how likely each class is, in the order of `classes_`."""
        features = self._known(X)
        return self.predictor_.probabilities(features)

    def predict(self, X: Any) -> Array:
        """Return the class of each sample."""
        features = self._known(X)
        return np.asarray(self.classes_[self.predictor_.places(features)])


class RobustRegressor(RegressorMixin, _Robust):  # type: ignore[misc]
    """Learn numbers from workers of whom some are Byzantine: least squares by RSA.

    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> bool(RobustRegressor(byzantine=4).fit(X, y).score(X, y) > 0.4)
    True
    """

    def fit(self, X: Any, y: Any) -> Self:
        features, targets = validate_data(self, X, y, ensure_min_samples=2, y_numeric=True)
        return self._fit(features, targets.astype(np.float64), None, "least-squares")

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the number that is predicted for each sample."""
        features = self._known(X)
        return self.predictor_.predict(features)
