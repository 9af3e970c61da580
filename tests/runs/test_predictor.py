"""A model in use: predictions are those that were measured, from memory, from the run's folder, and in scikit-learn."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import outsiders
from holdfast import load
from holdfast.errors import InvalidInput
from holdfast.runs.folder.artifacts import PREDICTOR
from holdfast.runs.folder.run_folder import RunFolder
from holdfast.runs.predictor import Predictor
from holdfast.runs.records import Result
from holdfast.runs.runner import run, simulate
from holdfast.runs.spec import Spec

TABLE = "height,colour,kind\n" + "".join(
    f"{n % 10},{'red' if n % 10 > 4 else 'blue'},{'tall' if n % 10 > 4 else 'short'}\n" for n in range(60)
)
QUICK: dict[str, Any] = {"method": "sgd", "rate": 1.0, "rounds": 200, "workers": 4, "momentum": 0.0}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "own.csv"
    path.write_text(TABLE)
    return path


def measured(result: Result, data: Any) -> float:
    dataset = load(data) if isinstance(data, str) else data
    predicted = result.predict(dataset.test_features)
    truth = np.array(dataset.number_classes().labels)[dataset.number_classes().test_targets]
    return float((predicted == truth).mean())


@pytest.mark.parametrize("options", [{"data": "digits"}, {"data": "digits", "scale": "standard", "rate": 0.01}])
def test_what_is_predicted_is_what_was_measured(options: dict[str, Any]) -> None:
    result = run(Spec(**{**QUICK, "rate": 1e-5} | options))
    assert result.accuracy is not None
    assert result.accuracy > 0.7
    assert measured(result, load("digits")) == pytest.approx(result.accuracy, abs=0.003)  # float64 against float32


def test_texts_in_texts_out(table: Path) -> None:
    result = run(Spec(data=str(table), **QUICK))
    assert result.spec.problem == "logistic"
    (table.parent / "new.csv").write_text("colour;height\nred;9\nblue;0\ngreen;7\n")
    assert result.predict(table.parent / "new.csv").tolist() == ["tall", "short", "tall"]
    likely = result.probabilities(str(table.parent / "new.csv"))
    assert likely.sum(axis=1).tolist() == [1, 1, 1]
    assert likely[0, 1] > 0.9


def test_numbers_are_predicted_in_their_own_unit(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    features = generator.normal(size=(200, 2)) * [1, 100]
    targets = features @ [3.0, 0.05] + 1000
    path = tmp_path / "own.csv"
    np.savetxt(path, np.column_stack([features, targets]), delimiter=",", header="a,b,y", comments="")
    result = run(Spec(data=str(path), **QUICK | {"rate": 0.5, "rounds": 500, "l2": 0.0}, schedule="constant"))
    assert result.predict(np.array([[1.0, 100.0]]))[0] == pytest.approx(1008, abs=0.1)
    assert result.to_sklearn().predict([[1.0, 100.0]])[0] == pytest.approx(1008, abs=0.1)


def test_the_folder_predicts_the_same(table: Path, tmp_path: Path) -> None:
    result = run(Spec(data=str(table), **QUICK), tmp_path / "run")
    again = RunFolder(tmp_path / "run").artifacts.predictor()
    assert result.predictor is not None
    assert again.to_json() == result.predictor.to_json()
    assert again.predict(table).tolist() == result.predict(table).tolist()
    told = json.loads((tmp_path / "run" / PREDICTOR).read_text())
    assert told["labels"] == ["short", "tall"]
    assert told["layout"]["columns"][1]["categories"] == ["blue", "red"]
    assert len(told["scaling"]["width"]) == 3


def test_a_fitted_estimator_of_scikit_learn(table: Path) -> None:
    for data, options in ((str(table), {}), ("digits", {"rate": 1e-5})):
        result = run(Spec(data=data, **QUICK | options))
        features = load(data).test_features.reshape(-1, result.predictor.features if result.predictor else 0)
        estimator = result.to_sklearn()
        assert estimator.predict(features).tolist() == result.predict(features).tolist()
        np.testing.assert_allclose(estimator.predict_proba(features), result.probabilities(features), atol=1e-9)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (np.zeros((2, 5)), "samples must have 3 features, as in training; got 5"),
        (np.zeros(3), "samples must be rows of numbers; got an array of float64, shape \\(3,\\)"),
        (np.array([["a", "b", "c"]]), "samples must be rows of numbers"),
        (np.array([[1, np.nan, 2]]), "samples must be finite numbers; got NaN or infinity in sample 1"),
    ],
)
def test_samples_that_cannot_be_used(table: Path, given: Any, reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason):
        run(Spec(data=str(table), **QUICK | {"rounds": 2})).predict(given)


def test_models_that_cannot_be_used(table: Path, tmp_path: Path) -> None:
    own = simulate(outsiders.Quadratic(np.eye(4)), "mean", rounds=2)
    with pytest.raises(InvalidInput, match="predict needs a model of softmax, logistic, least-squares"):
        own.predict(np.eye(4))
    run(Spec(data=str(table), **QUICK | {"rounds": 2}), tmp_path / "run")
    path = tmp_path / "run" / PREDICTOR
    path.write_text(path.read_text().replace("short", "small"))
    with pytest.raises(InvalidInput, match=r"model.json must hold the model of this run; got a wrong checksum"):
        RunFolder(tmp_path / "run").artifacts.predictor()
    path.unlink()
    with pytest.raises(InvalidInput, match="that did not diverge; got no"):
        RunFolder(tmp_path / "run").artifacts.predictor()
    (tmp_path / "run" / "result.json").unlink()
    with pytest.raises(InvalidInput, match="predict needs a run that is over"):
        RunFolder(tmp_path / "run").artifacts.predictor()


def test_probabilities_need_classes() -> None:
    predictor = Predictor("least-squares", np.ones((1, 2)), np.zeros(1))
    with pytest.raises(InvalidInput, match="probabilities need classes"):
        predictor.probabilities(np.zeros((1, 2)))
