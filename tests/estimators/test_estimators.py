"""Estimators as scikit-learn wants them."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import holdfast as hf
from holdfast.errors import InvalidInput


@parametrize_with_checks([hf.RobustClassifier(rounds=300), hf.RobustRegressor(rounds=300)])  # type: ignore[untyped-decorator]
def test_scikit_learn_is_content(estimator: Any, check: Any) -> None:
    check(estimator)


def test_a_third_of_the_workers_flips_signs() -> None:
    """RSA loses some accuracy, .93 to .83 in the mean of four seeds; the mean of gradients loses everything."""
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]

    def accuracy(method: str) -> float:
        asked = hf.RobustClassifier(byzantine=4, attack="sign-flip", workers=12, rounds=500, method=method)
        return float(cross_val_score(asked, X, names, cv=3).mean())

    assert accuracy("rsa") > accuracy("sgd") + 0.5


def test_parameters_are_those_of_a_spec() -> None:
    X, y = load_diabetes(return_X_y=True)
    fitted = hf.RobustRegressor(byzantine=(2, 5), attack="gaussian", method="median", rounds=50, random_state=7).fit(
        X, y
    )
    spec = fitted.result_.spec
    assert (spec.seed, spec.byzantine, spec.method_name, spec.problem) == (7, (2, 5), "median", "least-squares")
    with pytest.raises(InvalidInput, match="unknown attack 'flip'"):
        hf.RobustRegressor(byzantine=2, attack="flip").fit(X, y)
