"""What is measured, against definitions spelled out sample by sample."""

from dataclasses import replace
from math import exp, isclose, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from changed import ready
from holdfast import load
from holdfast.engines.engine import train
from holdfast.problems import LinearProblem
from holdfast.runs.experiment import assemble
from holdfast.runs.plan import remake_plan
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec

BASE = Spec(
    data="digits", method="rsa", workers=6, byzantine=(2, 5), attack="sign-flip", rounds=12, eval_every=12, seed=4
)
Table = NDArray[np.floating[Any]]


def scores(model: Table, sample: Table, outputs: int) -> list[float]:
    """First the weights by rows, then the biases."""
    width = len(sample)
    return [
        sum(float(model[c * width + j]) * float(sample[j]) for j in range(width)) + float(model[outputs * width + c])
        for c in range(outputs)
    ]


def cross_entropy(scores: list[float], label: int) -> float:
    top = max(scores)
    return log(sum(exp(score - top) for score in scores)) + top - scores[label]


def shards_of(spec: Spec) -> dict[int, tuple[Table, Table]]:
    """Return each worker's scaled samples and labels."""
    problem = assemble(remake_plan(ready(spec))).problem
    assert isinstance(problem, LinearProblem)
    shards = problem.shards
    return {
        i: (shards.features[first:last] * shards.scale, shards.targets[first:last])
        for i, (first, last) in enumerate(zip(shards.starts[:-1], shards.starts[1:], strict=True), start=1)
    }


def iterates_of(spec: Spec) -> Table:
    """Return what the workers hold at the end, each in a row."""
    parts = assemble(remake_plan(ready(spec)))
    program = parts.program
    for _ in train(program, parts.engine, program.init(parts.problem.start()), range(spec.rounds)):
        pass
    held: Table = parts.engine.state.model.astype(np.float64)
    return held


@pytest.mark.parametrize("method", ["rsa", "median"])
def test_accuracy_counts_the_test_samples_that_are_right(method: str) -> None:
    result, data = run(replace(BASE, method=method)), load("digits")
    right = 0
    for sample, label in zip(data.test_features.reshape(-1, 64) * 16.0, data.test_targets, strict=True):
        by_class = scores(result.model, sample, 10)
        right += by_class.index(max(by_class)) == label
    assert result.accuracy == right / 359
    assert 0.1 < right / 359 < 1


@pytest.mark.parametrize("weighting", ["mean", "sum"])
def test_loss_sums_the_honest_workers_and_the_regulariser(weighting: Any) -> None:
    spec = replace(BASE, weighting=weighting, l2=0.3, rate=0.0001)
    result = run(spec)
    expected = 0.3 / 2 * sum(float(x) ** 2 for x in result.model)
    for worker, (samples, labels) in shards_of(spec).items():
        if worker not in (2, 5):
            losses = [cross_entropy(scores(result.model, x, 10), y) for x, y in zip(samples, labels, strict=True)]
            expected += sum(losses) / len(losses) * (1 / 6 if weighting == "mean" else 1)
    assert result.last is not None
    assert result.last.loss == pytest.approx(expected, rel=1e-4)


def test_loss_over_equal_shards_is_the_mean_over_all_data() -> None:
    # two workers share the 1438 samples evenly, so no partition is needed to know the sum of their means
    result, data = run(Spec(data="digits", workers=2, rounds=5, dtype="float64")), load("digits")
    samples = zip(data.train_features.reshape(-1, 64) * 16.0, data.train_targets, strict=True)
    losses = [cross_entropy(scores(result.model, x, 10), y) for x, y in samples]
    expected = sum(losses) / 1438 + 0.01 / 2 * sum(float(x) ** 2 for x in result.model)
    assert result.last is not None
    assert isclose(result.last.loss, expected, rel_tol=1e-9)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_variance_and_distance_are_those_of_the_honest_iterates(dtype: Any) -> None:
    spec = replace(BASE, dtype=dtype)
    result = run(spec)
    honest = [x for i, x in enumerate(iterates_of(spec), start=1) if i not in (2, 5)]
    mean = sum(honest) / 4
    assert result.last is not None
    assert result.last.variance == pytest.approx(sum(sum((x - mean) ** 2) for x in honest) / 4, rel=1e-6)
    distance = (sum(sum((x - result.model) ** 2) for x in honest) / 4) ** 0.5
    assert result.last.distance == pytest.approx(distance, rel=1e-6)
    assert result.last.variance > 0
    assert result.last.distance**2 > result.last.variance  # the mean is nearest in the mean square


def test_ideal_rsa_measures_the_same_workers() -> None:
    spec = replace(BASE, method="ideal-rsa")
    result, honest = run(spec), iterates_of(spec)
    assert honest.shape == (4, 650)
    assert result.last is not None
    assert result.last.variance == pytest.approx(float(honest.var(axis=0).sum()), rel=1e-6)


@pytest.mark.parametrize("method", ["sgd", "ideal-sgd", "krum"])
def test_workers_that_share_the_model_do_not_differ(method: str) -> None:
    last = run(replace(BASE, method=method, attack="gaussian:scale=1")).last
    assert last is not None
    assert (last.variance, last.distance) == (0.0, 0.0)


@pytest.mark.parametrize(("dtype", "size"), [("float32", 4), ("float64", 8)])
def test_bytes_are_one_model_each_way(dtype: Any, size: int) -> None:
    result = run(replace(BASE, dtype=dtype, rounds=1))
    assert (result.bytes_up, result.bytes_down) == (44 + 650 * size, 44 + 650 * size)  # with the header


def test_ceiling_is_the_share_of_classes_that_honest_workers_hold() -> None:
    # by label, of 20 workers every two share a digit: 19 and 20 are the only ones that hold a nine
    spec = Spec(data="digits", partition="by-label", byzantine=2, attack="infinite", rounds=1)
    others = np.mean(load("digits").test_targets != 9)
    assert run(spec).ceiling == pytest.approx(others)
    assert run(replace(spec, byzantine=(18, 20))).ceiling == 1.0
    assert run(replace(spec, partition="iid")).ceiling == 1.0


def test_least_squares_has_a_loss_and_no_accuracy(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    features = generator.normal(size=(50, 2))
    targets = features @ [1.0, -2.0] + 0.5
    np.savez(tmp_path / "own.npz", x=features, y=targets)
    spec = Spec(data=str(tmp_path / "own.npz"), problem="least-squares", workers=2, rounds=20, rate=0.01, l2=0.0)
    result = run(replace(spec, dtype="float64"))
    assert (result.accuracy, result.ceiling) == (None, None)
    expected = 0.0
    for samples, values in shards_of(spec).values():
        errors = [scores(result.model, x, 1)[0] - float(y) for x, y in zip(samples, values, strict=True)]
        expected += sum(error**2 / 2 for error in errors) / len(errors) / 2
    assert result.last is not None
    assert result.last.loss == pytest.approx(expected, rel=1e-9)


def test_logistic_accuracy_is_the_side_of_the_score(tmp_path: Path) -> None:
    generator = np.random.default_rng(1)
    features = generator.normal(size=(60, 2))
    labels = (features[:, 0] + generator.normal(size=60) > 0).astype(int)
    np.savez(tmp_path / "own.npz", x_train=features[:40], y_train=labels[:40], x_test=features[40:], y_test=labels[40:])
    spec = Spec(data=str(tmp_path / "own.npz"), problem="logistic", method="sgd", workers=2, rounds=5, rate=0.1)
    result = run(spec)
    right = [(scores(result.model, x, 1)[0] > 0) == y for x, y in zip(features[40:], labels[40:], strict=True)]
    assert result.accuracy == sum(right) / 20
