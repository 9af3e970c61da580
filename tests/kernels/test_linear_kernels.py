"""Scores, losses and the workers' minibatch gradients and steps, straight from raw samples."""

from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest
import twins
from numpy.typing import NDArray
from twins import assert_same

from holdfast import kernels
from holdfast.errors import InvalidInput
from holdfast.streams import Stream
from holdfast.typing import Rows, Vector, Workers

LOSSES = {"softmax": kernels.SOFTMAX, "logistic": kernels.LOGISTIC, "least-squares": kernels.LEAST_SQUARES}
KINDS = [(np.uint8, np.float32), (np.uint8, np.float64), (np.float32, np.float32), (np.float64, np.float64)]
"""Of raw features, and of models. Each pair is compiled, so there are not all six."""
BATCHES = [1, 7, 8, 9, 33]
OUTPUTS = [1, 2, 3, 5, 10, 11]
WIDTHS = [1, 7, 64, 785]

every_loss = pytest.mark.parametrize("loss", LOSSES)
every_kind = pytest.mark.parametrize(("raw", "dtype"), KINDS, ids=lambda kind: str(np.dtype(kind)))


class Case(NamedTuple):
    """Five workers with 1 to 30 samples, of whom these are asked in this round."""

    loss: str
    features: NDArray[Any]
    targets: NDArray[Any]
    dtype: type
    outputs: int
    batch: int
    scale: float = 1.0
    weight: float = 0.25
    starts: NDArray[np.int64] = np.array([0, 1, 4, 12, 30, 60])
    stream: Stream = Stream(3, "batch")
    workers: Workers = np.array([3, 1, 5])
    round: int = 17

    @property
    def dimension(self) -> int:
        return int(self.outputs * (self.features.shape[1] + 1))

    def models(self, n: int, seed: int = 0) -> Rows:
        """Models whose scores are of the order of 1."""
        size = 1 / (self.scale * float(np.abs(self.features).max()) * self.features.shape[1] ** 0.5)
        models: Rows = size * np.random.default_rng((n, seed)).normal(size=(n, self.dimension))
        return models.astype(self.dtype)

    def played(self, models: Rows, step: tuple[Vector, float, float] | None = None) -> Rows:
        """What the kernel makes of it."""
        dealt = kernels.Dealt(LOSSES[self.loss], self.features, self.targets, self.starts, self.scale, self.weight)
        draw = kernels.Draw(self.stream.key, self.round, self.batch)
        return kernels.worker_round(dealt, draw, self.workers, models, step)

    def twin(self, models: Rows) -> tuple[Rows, Rows]:
        """What the twin makes of it, and how wrong the kernel may be."""
        sizes = np.diff(self.starts)[self.workers - 1]
        drawn = self.stream.integers(self.workers, self.round, sizes, self.batch)
        weight = float(self.dtype(self.weight / self.batch))
        rows = [
            twins.gradient(
                self.loss,
                twins.scaled(self.features[first + indices], self.scale, self.dtype),
                self.targets[first + indices],
                model,
                weight,
                self.outputs,
            )
            for first, indices, model in zip(self.starts[self.workers - 1], drawn, models, strict=True)
        ]
        return np.array([row for row, _ in rows]), np.array([wrong for _, wrong in rows])


def a_case(loss: str, raw: type, dtype: type, batch: int, outputs: int, width: int) -> Case:
    generator = np.random.default_rng((batch, outputs, width))
    features: NDArray[Any] = generator.integers(0, 256, (60, width), dtype=np.uint8)
    if raw is not np.uint8:
        features = generator.normal(size=(60, width)).astype(raw)
    targets = generator.integers(0, {"softmax": outputs, "logistic": 2, "least-squares": 9}[loss], 60)
    return Case(loss, features, targets, dtype, outputs, batch, 1 / 255 if raw is np.uint8 else 1.0)


def shapes(loss: str) -> list[tuple[int, int, int]]:
    """Batch, outputs and width; only softmax has more than one output."""
    return list(product(BATCHES, OUTPUTS if loss == "softmax" else [1], WIDTHS))


@every_kind
@every_loss
def test_gradients_are_right_to_the_tolerance(loss: str, raw: type, dtype: type) -> None:
    for shape in shapes(loss):
        case = a_case(loss, raw, dtype, *shape)
        models = case.models(3)
        gradients, (expected, wrong) = case.played(models), case.twin(models)
        assert (gradients.dtype, gradients.shape) == (np.dtype(dtype), expected.shape), shape
        assert (np.abs(gradients - expected) <= wrong).all(), shape


@every_kind
@every_loss
def test_one_model_for_all_is_that_model_for_each(loss: str, raw: type, dtype: type) -> None:
    for shape in shapes(loss):
        case = a_case(loss, raw, dtype, *shape)
        model = case.models(1)
        each = case.played(np.tile(model, (3, 1)))
        assert_same(case.played(model), each, shape)
        assert_same(case.played(model[0]), each, shape)


@every_kind
@every_loss
def test_steps_are_those_of_their_gradients(loss: str, raw: type, dtype: type) -> None:
    """To the bit, also where a worker's model and the master's are tied; and where workers share a model."""
    for shape in shapes(loss):
        case = a_case(loss, raw, dtype, *shape)
        models, master = case.models(3), case.models(1, seed=1)[0]
        models[:, ::3] = master[::3]
        models[0, -1] = master[-1] = 0.0
        models[1, -1] = -0.0
        for held in (models, models[0]):
            for rate, penalty in ((0.1, 0.07), (0.003 / 7**0.5, 10.0), (1.0, 0.0)):
                expected = twins.l1_step(held, master, case.played(held), rate, penalty)
                assert_same(case.played(held, (master, rate, penalty)), expected, shape)


@every_kind
@every_loss
def test_a_worker_alone_repeats_its_row(loss: str, raw: type, dtype: type) -> None:
    """Whoever else is asked, in whatever order and however often."""
    for shape in ((1, 1, 7), (9, 1, 64), (33, 1, 785)) if loss != "softmax" else ((9, 3, 64), (33, 10, 785)):
        case = a_case(loss, raw, dtype, *shape)._replace(workers=np.array([4, 1, 5, 4, 2, 3]))
        models, master = case.models(6), case.models(1, seed=1)[0]
        for step in (None, (master, 0.1, 0.07)):
            rows = case.played(models, step)
            for i in range(6):
                alone = case._replace(workers=case.workers[[i]])
                assert_same(alone.played(models[[i]], step), rows[[i]], (shape, i))


@every_kind
def test_least_squares_of_whole_numbers_are_exact(raw: type, dtype: type) -> None:
    """Features up to 9, weights up to 2, batches of 33: all sums stay below 2^24, so none is rounded."""
    for batch, _, width in shapes("least-squares"):
        generator = np.random.default_rng((batch, width))
        features: NDArray[Any] = generator.integers(0, 10, (60, width)).astype(raw)
        case = Case("least-squares", features, generator.integers(-9, 10, 60), dtype, 1, batch, weight=batch)
        models: Rows = generator.integers(-2, 3, (3, width + 1)).astype(dtype)
        assert_same(case.played(models) + 0, case.twin(models)[0].astype(dtype) + 0, (batch, width))


def test_targets_that_are_no_whole_numbers() -> None:
    case = a_case("least-squares", np.float64, np.float64, 9, 1, 7)
    case = case._replace(targets=case.targets + 0.3)
    models = case.models(3)
    expected, wrong = case.twin(models)
    assert (np.abs(case.played(models) - expected) <= wrong).all()


@every_kind
@pytest.mark.parametrize("loss", ["softmax", "logistic"])
def test_scores_of_any_size_give_what_certainty_gives(loss: str, raw: type, dtype: type) -> None:
    """At scores of a million one class is certain: every residual is 0, 1 or -1."""
    case = a_case(loss, raw, dtype, 33, 10 if loss == "softmax" else 1, 64)
    models = 1e6 * case.models(3)
    gradients = case.played(models)
    assert np.isfinite(gradients).all()
    expected, _ = case.twin(models)
    np.testing.assert_allclose(gradients, expected, rtol=0, atol=64 * np.finfo(dtype).eps * np.abs(expected).max())


@pytest.mark.parametrize("dtype", twins.DTYPES)
@every_loss
@pytest.mark.parametrize("lie", [np.nan, np.inf, -np.inf])
def test_samples_without_numbers_spoil_their_workers_only(loss: str, lie: float, dtype: type) -> None:
    """Worker 1 draws its single sample and loses what the twin loses; those before and after it lose nothing."""
    case = a_case(loss, dtype, dtype, 9, 3 if loss == "softmax" else 1, 7)
    models = case.models(3)
    clean = case.played(models)
    case.features[0, 4] = lie
    spoilt = case.played(models)
    assert_same(spoilt[[0, 2]], clean[[0, 2]])
    finite = np.isfinite(case.twin(models)[0][1])
    np.testing.assert_array_equal(np.isfinite(spoilt[1]), finite)
    assert not finite.all()


@pytest.mark.parametrize("dtype", twins.DTYPES)
@every_loss
@pytest.mark.parametrize("size", [1e38, "smallest"])
def test_features_of_extreme_size(loss: str, size: float | str, dtype: type) -> None:
    """With weights 0 the scores are the biases: gradients are large, or below the normal range, yet right."""
    small = float(np.finfo(dtype).smallest_subnormal)
    case = a_case(loss, dtype, dtype, 8, 3 if loss == "softmax" else 1, 7)
    factor = 1e5 * small if size == "smallest" else 0.2e38
    case = case._replace(features=(factor * case.features.astype(np.float64)).astype(dtype), weight=1 / 4)
    models: Rows = np.zeros((3, case.dimension), dtype)
    models[:, -case.outputs :] = np.arange(case.outputs) / 4
    gradients, (expected, wrong) = case.played(models), case.twin(models)
    assert (np.abs(gradients - expected) <= wrong + 20 * small).all()
    assert (np.abs(expected[:, : -case.outputs]).max(axis=1) > 100 * small).all()


@pytest.mark.parametrize("dtype", twins.DTYPES)
def test_steps_of_models_that_are_no_numbers(dtype: type) -> None:
    """Nor the master's; with features 0 the gradients are finite all the same. NaN and ties pull nowhere."""
    case = a_case("least-squares", dtype, dtype, 7, 1, 7)
    models, master = case.models(3), case.models(1, seed=1)[0]
    case.features[:] = 0
    limits = np.finfo(dtype)
    models[0, :3] = [float(limits.max), 1e38, float(limits.smallest_subnormal)]
    master[:3] = [-1e38, 1e38, 0]
    master[3:6] = [np.inf, -np.inf, np.nan]
    gradients = case.played(models)
    stepped = case.played(models, (master, 0.5, 0.25))
    assert_same(stepped, twins.l1_step(models, master, gradients, 0.5, 0.25))
    assert (gradients[:, :-1] == 0).all()
    assert_same(stepped[:, 3] - models[:, 3] > 0, np.full(3, True))
    assert_same(stepped[:, 4] - models[:, 4] < 0, np.full(3, True))
    assert_same(stepped[:, 5], models[:, 5])
    models[:, :2], master[:2] = [np.nan, np.inf], [1, np.inf]
    stepped = case.played(models, (master, 0.5, 0.25))
    assert_same(stepped, twins.l1_step(models, master, case.played(models), 0.5, 0.25))


@every_kind
@pytest.mark.parametrize("samples", [1, 2, 63, 64, 65, 129])
def test_scores_are_right_to_the_tolerance(samples: int, raw: type, dtype: type) -> None:
    eps = float(np.finfo(dtype).eps)
    for outputs, width in product(OUTPUTS, WIDTHS):
        case = a_case("softmax", raw, dtype, 1, outputs, width)
        features = np.resize(case.features, (samples, width))
        model = case.models(1)[0]
        x = twins.scaled(features, case.scale, dtype)
        result = kernels.scores(features, case.scale, model, outputs)
        assert (result.dtype, result.shape) == (np.dtype(dtype), (samples, outputs))
        wrong = (width + 2) * eps * twins.scores(np.abs(x), np.abs(model), outputs)
        assert (np.abs(result - twins.scores(x, model, outputs)) <= wrong).all(), (outputs, width)


@every_kind
def test_scores_of_whole_numbers_are_exact(raw: type, dtype: type) -> None:
    generator = np.random.default_rng(0)
    for samples, outputs, width in product([1, 2, 65, 129], OUTPUTS, WIDTHS):
        features: NDArray[Any] = generator.integers(0, 256, (samples, width)).astype(raw)
        model: Vector = generator.integers(-3, 4, outputs * (width + 1)).astype(dtype)
        expected: Rows = twins.scores(features, model, outputs).astype(dtype)
        assert_same(kernels.scores(features, 1.0, model, outputs) + 0, expected + 0, (samples, outputs, width))
        assert_same(kernels.scores(features, 0.5, 2 * model, outputs) + 0, expected + model[-outputs:] + 0)


@pytest.mark.parametrize("dtype", twins.DTYPES)
def test_scores_of_samples_without_numbers(dtype: type) -> None:
    """They are lost; those of their neighbours are not."""
    features = twins.ordinary(70, 7, dtype)
    model = twins.ordinary(1, 3 * 8, dtype)[0]
    clean = kernels.scores(features, 1.0, model, 3)
    features[[4, 65], 2] = np.nan, np.inf
    spoilt = kernels.scores(features, 1.0, model, 3)
    others = np.delete(np.arange(70), [4, 65])
    assert_same(spoilt[others], clean[others])
    assert np.isnan(spoilt[4]).all()
    np.testing.assert_array_equal(spoilt[65], np.inf * np.sign(model[[2, 9, 16]]))


@every_kind
@every_loss
def test_losses_are_right_to_the_tolerance(loss: str, raw: type, dtype: type) -> None:
    """A score's error passes through the loss at most twice, or times the residual; then a few roundings."""
    eps = float(np.finfo(dtype).eps)
    for samples, outputs, width in product([1, 2, 63, 64, 65, 129], OUTPUTS if loss == "softmax" else [1], WIDTHS):
        case = a_case(loss, raw, dtype, 1, outputs, width)
        features, targets = np.resize(case.features, (samples, width)), np.resize(case.targets, samples)
        model = case.models(1)[0]
        x = twins.scaled(features, case.scale, dtype)
        result = kernels.losses(LOSSES[loss], features, targets, case.scale, model, outputs)
        assert (result.dtype, result.shape) == (np.dtype(dtype), (samples,))
        s = twins.scores(x, model, outputs)
        expected = twins.losses(loss, s, targets)
        slope = 2 + np.abs(twins.residuals(loss, s, targets)).max(axis=1)
        wrong = (width + 2) * eps * twins.scores(np.abs(x), np.abs(model), outputs).max(axis=1) * slope
        wrong = wrong + 16 * eps * (1 + np.abs(expected) + np.abs(s).max(axis=1))
        assert (np.abs(result - expected) <= wrong).all(), (samples, outputs, width)


@every_kind
def test_losses_of_whole_numbers_are_exact(raw: type, dtype: type) -> None:
    """Least squares: half the square of a difference below 2^11."""
    generator = np.random.default_rng(0)
    for samples, width in product([1, 2, 65, 129], [1, 7, 64]):
        features: NDArray[Any] = generator.integers(0, 10, (samples, width)).astype(raw)
        model: Vector = generator.integers(-2, 3, width + 1).astype(dtype)
        targets = generator.integers(-9, 10, samples)
        expected = 0.5 * (twins.scores(features, model, 1)[:, 0] - targets) ** 2
        assert_same(kernels.losses(kernels.LEAST_SQUARES, features, targets, 1.0, model, 1), expected.astype(dtype))


@pytest.mark.parametrize("dtype", twins.DTYPES)
@pytest.mark.parametrize("loss", ["softmax", "logistic"])
def test_losses_at_scores_of_any_size(loss: str, dtype: type) -> None:
    """Where a class is certain, its loss is 0 and that of another the difference of the scores."""
    features: Rows = np.array([[1.0], [-1.0], [1.0], [-1.0]], dtype)
    targets = np.array([0, 0, 1, 1])
    size = float(np.sqrt(np.finfo(dtype).max))
    # scores of features 1 and -1: s and -s of class 1, against 0 of class 0
    model: Vector = np.array([0, size, 0, 0] if loss == "softmax" else [size, 0], dtype)
    result = kernels.losses(LOSSES[loss], features, targets, 1.0, model, 2 if loss == "softmax" else 1)
    assert_same(result, np.array([size, 0, 0, size], dtype))


@pytest.mark.parametrize("dtype", twins.DTYPES)
@every_loss
@pytest.mark.parametrize("lie", [np.nan, np.inf])
def test_losses_of_samples_without_numbers(loss: str, lie: float, dtype: type) -> None:
    case = a_case(loss, dtype, dtype, 1, 3 if loss == "softmax" else 1, 7)
    model = case.models(1)[0]

    def losses() -> Vector:
        return kernels.losses(LOSSES[loss], case.features, case.targets, 1.0, model, case.outputs)

    clean = losses()
    case.features[4, 2] = lie
    spoilt, others = losses(), np.delete(np.arange(60), 4)
    assert_same(spoilt[others], clean[others])
    assert np.isfinite(clean).all()
    assert np.isnan(spoilt[4]) or (lie == np.inf and loss != "softmax" and spoilt[4] in (0, np.inf))


def test_models_that_do_not_fit_are_refused() -> None:
    features, targets, model = np.ones((5, 4)), np.zeros(5, np.int64), np.zeros(14)
    with pytest.raises(InvalidInput, match="3 x 4 weights and 3 biases; got 14 numbers"):
        kernels.scores(features, 1.0, model, 3)
    with pytest.raises(InvalidInput, match="3 x 4 weights and 3 biases; got 14 numbers"):
        kernels.losses(kernels.SOFTMAX, features, targets, 1.0, model, 3)
