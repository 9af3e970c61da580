"""Networks keep the laws of problems, start by address, and are refused where no address would reproduce them."""

import subprocess
import sys
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from networks import NETWORKS, identify_problem, images, normalised

from holdfast.data import Dataset, Iid, load
from holdfast.errors import InvalidInput
from holdfast.problems import LeastSquares, Logistic, ModuleProblem, Softmax
from holdfast.problems.modules.networks import Cnn, Mlp
from holdfast.runs.auto import resolve_auto
from holdfast.runs.plan import fill_defaults
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.testing import check_problem

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("name", ["softmax", "mlp", "cnn", "resnet8"])
def test_networks_keep_the_laws_of_problems(name: str) -> None:
    check_problem(identify_problem(NETWORKS[name], dtype="float64"), examples=8, seconds=2)


def test_a_factory_makes_problems_of_any_data() -> None:
    check_problem(partial(ModuleProblem.of, model=Mlp(hidden=4)), examples=8, seconds=2)


@pytest.mark.parametrize("kind", [Softmax, Logistic, LeastSquares])
def test_one_linear_layer_is_the_linear_problem(kind: Any) -> None:
    """Gradients, objective and accuracy of an `nn.Linear` are those of the analytic problem, sample for sample."""
    generator = np.random.default_rng(0)
    features, targets = generator.normal(size=(60, 4)), generator.integers(0, 2, 60)
    data = Dataset("linear", features[:50], targets[:50], features[50:], targets[50:])
    analytic = kind.of(data, Iid(), 5, 7, dtype=np.float64, scale=0.5)
    module = ModuleProblem.of(
        data, Iid(), 5, 7, model=NETWORKS["softmax"], kind=kind, dtype=np.float64, scale=0.5, normalise="none"
    )
    models = generator.normal(size=(5, analytic.dimension))
    assert np.array_equal(module.start(), analytic.start())
    for given in (models, models[0]):
        expected = analytic.oracle(analytic.workers)(given, 3)
        np.testing.assert_allclose(module.oracle(module.workers)(given, 3), expected, rtol=1e-10, atol=1e-12)
    assert module.objective(models[0], [1, 4]) == pytest.approx(analytic.objective(models[0], [1, 4]))
    assert module.evaluate(models[0]) == analytic.evaluate(models[0])


@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize("method", ["rsa:norm=2", "rsa:norm=inf", "trimmed-mean"])  # l1: below
def test_softmax_as_a_module_follows_the_analytic_one(method: str, momentum: float) -> None:
    base = Spec(data="digits", method=method, attack="sign-flip", byzantine=4, rounds=200, momentum=momentum)
    base = resolve_auto(fill_defaults(base))  # auto measures a network in another way
    analytic, module = run(base), run(replace(base, model="softmax", normalise="none"))
    np.testing.assert_allclose(module.model, analytic.model, rtol=0, atol=1e-4)
    assert module.accuracy == pytest.approx(analytic.accuracy, abs=0.01)


def test_of_l1_both_follow_one_path_until_rounding_decides_a_sign() -> None:
    """In float64, and where no gradient is 0 by chance: pixels are whole numbers, and 0.1 of some sum is another."""
    digits, generator = load("digits"), np.random.default_rng(0)
    train, test = (
        each + generator.uniform(0, 1, each.shape).astype(np.float32)
        for each in (digits.train_features, digits.test_features)
    )
    data = replace(digits, train_features=train, test_features=test)
    base = Spec(data=data, method="rsa:norm=1,penalty=0.07", rate=0.001, scale=16.0, dtype="float64", rounds=200)
    base = replace(base, attack="sign-flip", byzantine=4)
    analytic, module = run(base), run(replace(base, model="softmax", normalise="none"))
    assert np.array_equal(module.model, analytic.model)


def test_starts_are_addressed() -> None:
    torch.manual_seed(0)
    first = identify_problem(Mlp()).start()
    before = torch.random.get_rng_state()
    torch.manual_seed(1)
    again, other = identify_problem(Mlp()).start(), ModuleProblem.of(images(), Iid(), 6, 5, model=Mlp(), seed=4).start()
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    torch.manual_seed(0)
    assert torch.equal(torch.random.get_rng_state(), before)  # the user's own numbers are left alone


def test_mean_and_deviation_of_each_channel() -> None:
    generator = np.random.default_rng(0)
    pixels = generator.integers(0, 256, (9000, 2, 3, 3), dtype=np.uint8)
    pixels[:, 1] //= 4
    data = Dataset("two channels", pixels, np.arange(9000) % 2, pixels[:2], np.arange(2))
    problem = ModuleProblem.of(data, Iid(), 2, 4, model=Mlp(hidden=2))
    scaled = problem.minibatches.scale(torch.from_numpy(pixels)).numpy().astype(np.float64)
    np.testing.assert_allclose(scaled.mean(axis=(0, 2, 3)), 0, atol=1e-6)
    np.testing.assert_allclose(scaled.std(axis=(0, 2, 3)), 1, atol=1e-6)


def test_batch_normalisation_is_measured_with_statistics_at_the_model() -> None:
    """Measured twice, or after training elsewhere, a model gets the same numbers; and it learns."""
    result = run(Spec(data=images(600), model=normalised, method="rsa:norm=2,penalty=0.01", rate=1.0, rounds=60))
    problem = identify_problem(normalised)
    start = problem.evaluate(problem.start())
    problem.oracle(problem.workers)(problem.start(), 0)
    assert problem.evaluate(problem.start()) == start
    assert result.accuracy is not None
    assert result.accuracy > 0.9


def test_augmentation_is_addressed_and_off_by_default() -> None:
    plain, moved, again = (
        identify_problem(Cnn(kernel=3, padding=1), augment=augment).minibatches(np.array([2, 3]), 4)
        for augment in ("none", "flip-shift", "flip-shift")
    )
    assert not torch.equal(plain[0], moved[0])
    assert torch.equal(moved[0], again[0])
    assert torch.equal(plain[1], moved[1])
    alone = identify_problem(Cnn(kernel=3, padding=1), augment="flip-shift").minibatches(np.array([3]), 4)
    assert torch.equal(alone[0][0], moved[0][1])


def test_a_shift_by_hand() -> None:
    """Words of 0 shift by -4 of 4 pixels each way: what was at (4, 4) comes from (0, 0) of an image padded with 0."""
    from holdfast.problems.modules.tensor_batches import flip_and_shift

    image = torch.arange(36, dtype=torch.uint8).reshape(1, 1, 6, 6)
    moved = flip_and_shift(image, np.zeros((1, 3), np.uint64), flips=False)
    assert moved[0, 0, 4:, 4:].tolist() == [[0, 1], [6, 7]]
    assert int(moved.sum()) == 14
    top = np.uint64(2**64 - 1)
    far = flip_and_shift(image, np.array([[top, top, top]]), flips=True)  # shifted by +4 and mirrored
    assert far[0, 0, :2, 4:].tolist() == [[29, 28], [35, 34]]


class Noisy(torch.nn.Module):  # type: ignore[name-defined,misc]
    """Draws without saying so in a layer."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(64, 3)

    def forward(self, x: Any) -> Any:
        return self.layer(torch.nn.functional.dropout(x.flatten(1), 0.5, self.training))


class Counting(Noisy):
    """Changes a buffer of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, x: Any) -> Any:
        self.seen += len(x)
        return self.layer(x.flatten(1))


def dropping(shape: tuple[int, ...], outputs: int) -> Any:
    return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Dropout(0.3), torch.nn.Linear(64, outputs))


def flat(shape: tuple[int, ...], outputs: int) -> Any:
    return torch.nn.Flatten()


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (dropping, "Dropout's has none: set its p to 0; got p=0.3 in Sequential"),
        (Noisy, "must return the same scores for the same samples; got others from Noisy"),
        (Counting, "only batch normalisation may keep buffers that change; got others in Counting"),
        (flat, "must have parameters to learn; got Flatten with none"),
        (lambda shape, outputs: 3, "must make a torch.nn.Module; got int"),
        (lambda needed: needed, "must be made of `shape` and `outputs` alone; got .*needed"),
        (Cnn(), r"cnn:kernel=5 needs larger images, or padding; got \(1, 8, 8\)"),
    ],
)
def test_what_cannot_be_reproduced_is_refused(model: Any, reason: str) -> None:
    problem = identify_problem(model)
    with pytest.raises(InvalidInput, match=reason) as refusal:
        problem.oracle(problem.workers)(np.zeros(1), 0)
    assert "\n" not in str(refusal.value)


def test_pooling_needs_images() -> None:
    data = load("digits")
    flat = Dataset(
        "flat",
        data.train_features.reshape(-1, 64),
        data.train_targets,
        data.test_features.reshape(-1, 64),
        data.test_targets,
    )
    with pytest.raises(InvalidInput, match=r"cnn needs images, .*; got samples of shape \(64,\)"):
        run(Spec(data=flat, model="cnn", rounds=1))


def test_without_torch_one_line_says_what_to_install() -> None:
    script = (
        "import sys, importlib.abc as abc\n"
        "class Missing(abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'torch': raise ModuleNotFoundError('No module named torch', name=name)\n"
        "sys.meta_path.insert(0, Missing())\n"
        "from holdfast.cli import main\n"
        "sys.exit(main(['run', '--data', 'digits', '--model', 'mlp', '--rounds', '1']))"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr == (
        "holdfast: a model needs PyTorch: pip install 'holdfast[torch]'; got no module named torch\n"
    )


def test_torch_is_not_imported_before_it_is_needed() -> None:
    script = (
        "import sys, holdfast; holdfast.run(holdfast.Spec(data='digits', rounds=1)); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
