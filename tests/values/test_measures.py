"""Measures of models by hand, and against scikit-learn; which problem a target asks for."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from holdfast.data import Dataset, Iid
from holdfast.errors import InvalidInput
from holdfast.problems import ACCURACY, LOSS, REGISTRY, LeastSquares, Logistic, declared_score, guess
from holdfast.problems.regressions import area_under_curve


def data(targets: Any, features: Any = None) -> Dataset:
    features = np.arange(len(targets), dtype=float)[:, np.newaxis] if features is None else features
    return Dataset("some", features, np.asarray(targets), features, np.asarray(targets))


def test_rmse_and_r2_by_hand() -> None:
    """Scores 0, 1, 2, 3 of targets 1, 1, 2, 4: errors -1, 0, 0, -1; the mean target is 2, its squares 1 + 1 + 0 + 4."""
    problem = LeastSquares.of(data([1.0, 1.0, 2.0, 4.0]), Iid(), workers=2)
    assert problem.evaluate(np.array([1.0, 0.0], np.float32)) == {"rmse": np.sqrt(0.5), "r2": pytest.approx(1 - 2 / 6)}


def test_a_target_that_does_not_vary_has_no_r2() -> None:
    problem = LeastSquares.of(data([2.0, 2.0, 2.0]), Iid(), workers=2)
    assert list(problem.evaluate(np.zeros(2, np.float32))) == ["rmse"]


def test_auc_by_hand() -> None:
    """Of the four pairs of a one and a zero: two right, one equal, one wrong."""
    assert area_under_curve(np.array([0.1, 0.5, 0.5, 0.3]), np.array([0, 0, 1, 1])) == (2 + 0.5) / 4
    assert area_under_curve(np.array([0.1, 0.5]), np.array([1, 1])) is None


@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=2, max_size=30))
def test_auc_is_that_of_scikit_learn(pairs: list[tuple[int, bool]]) -> None:
    scores, targets = np.array([pair[0] for pair in pairs], float), np.array([int(pair[1]) for pair in pairs])
    found = area_under_curve(scores, targets)
    if len(set(targets)) == 2:
        assert found == pytest.approx(roc_auc_score(targets, scores))
    else:
        assert found is None


def test_two_classes_have_accuracy_and_auc() -> None:
    problem = Logistic.of(data([0, 0, 1, 1]), Iid(), workers=2)
    assert problem.evaluate(np.array([1.0, -1.5], np.float32)) == {"accuracy": 1.0, "auc": 1.0}


@pytest.mark.parametrize("kind", REGISTRY.values(), ids=list(REGISTRY))
def test_a_problem_measures_what_it_is_judged_by(kind: Any) -> None:
    problem = kind.of(data([0, 1, 0, 1]), Iid(), workers=2)
    assert declared_score(kind).name in problem.evaluate(problem.start())
    assert declared_score(problem) == declared_score(kind)


def test_scores_know_which_way_is_better() -> None:
    assert declared_score(object()) == ACCURACY
    assert ACCURACY.goodness(0.9) > ACCURACY.goodness(0.8) > ACCURACY.goodness(None) == ACCURACY.goodness(np.nan)
    assert LOSS.goodness(0.8) > LOSS.goodness(0.9) > LOSS.goodness(None)


@pytest.mark.parametrize(
    ("targets", "problem", "why"),
    [
        ([0, 1, 1], "logistic", "2 classes"),
        ([-3, 7, 7], "logistic", "2 classes"),
        ([1, 2, 3], "softmax", "3 classes"),
        ([1.0, 2.0, 5.0], "softmax", "3 classes"),
        (list(range(20)), "softmax", "20 classes"),
        (list(range(21)), "least-squares", "21 different numbers, more than 20"),
        ([0, 1, 1.5], "least-squares", "fractions, such as 1.5"),
    ],
)
def test_which_problem_a_target_asks_for(targets: list[float], problem: str, why: str) -> None:
    found = guess(data(targets))
    assert found.name == problem
    assert why in found.why


def test_images_have_classes_however_many() -> None:
    assert guess(data(range(100), np.zeros((100, 2, 2)))).name == "softmax"


def test_targets_that_do_not_fit_their_problem() -> None:
    with pytest.raises(InvalidInput, match=r"whole numbers or texts as labels; got 1.5 .*--problem least-squares"):
        Logistic.of(data([0, 1, 1.5]), Iid(), workers=2)
    labelled = Dataset("some", np.eye(2), np.array([0, 1]), np.eye(2), np.array([0, 1]), labels=("a", "b"))
    with pytest.raises(InvalidInput, match="least-squares needs numbers as targets; got the labels a, b in some"):
        LeastSquares.of(labelled, Iid(), workers=2)
