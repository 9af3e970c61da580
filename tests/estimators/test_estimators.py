"""Estimators as scikit-learn wants them."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import holdfast as hf
from holdfast.errors import InvalidInput


@pytest.mark.filterwarnings("ignore::holdfast.errors.GuessingWarning")  # some checks fit noise
@parametrize_with_checks([hf.RobustClassifier(rounds=300), hf.RobustRegressor(rounds=300)])  # type: ignore[untyped-decorator]
def test_scikit_learn_is_content(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.filterwarnings("ignore::holdfast.errors.GuessingWarning")  # of the mean
def test_a_third_of_the_workers_flips_signs() -> None:
    """Over several seeds RSA is no worse than the median of gradients; the mean of gradients loses everything."""
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]

    def accuracy(method: str) -> float:
        asked: dict[str, Any] = {"byzantine": 4, "attack": "sign-flip", "workers": 12, "rounds": 500, "method": method}
        seeds = (hf.RobustClassifier(random_state=seed, **asked) for seed in (4, 5, 6))
        return float(np.mean([cross_val_score(each, X, names, cv=3).mean() for each in seeds]))

    reached = accuracy("rsa")
    assert reached > accuracy("median") - 0.01
    assert reached > accuracy("sgd") + 0.5


@pytest.mark.parametrize("regression", [False, True])
def test_a_model_that_guesses_warns(regression: bool) -> None:
    X, y = (load_diabetes if regression else load_iris)(return_X_y=True)
    kind = hf.RobustRegressor if regression else hf.RobustClassifier
    asked: dict[str, Any] = {"byzantine": 8, "attack": "sign-flip", "method": "sgd", "rounds": 20, "rate": 0.1}
    with pytest.warns(hf.GuessingWarning, match="^No better than guessing: "):
        kind(**asked).fit(X, y)


def test_parameters_are_those_of_a_spec() -> None:
    X, y = load_diabetes(return_X_y=True)
    fitted = hf.RobustRegressor(byzantine=(2, 5), attack="gaussian", method="median", rounds=50, random_state=7).fit(
        X, y
    )
    spec = fitted.result_.spec
    assert (spec.seed, spec.byzantine, spec.method_name, spec.problem) == (7, (2, 5), "median", "least-squares")
    with pytest.raises(InvalidInput, match="unknown attack 'flip'"):
        hf.RobustRegressor(byzantine=2, attack="flip").fit(X, y)
