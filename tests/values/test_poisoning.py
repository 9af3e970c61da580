"""Gradients of workers with poisoned labels, against problems whose labels are written down."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from holdfast import problems
from holdfast.attacks import BatchPoisoning, DynamicLabelFlip, LabelFlip, LabelPoisoning, RandomLabels, SignFlip
from holdfast.data import Iid, load
from holdfast.errors import InvalidInput
from holdfast.problems import LinearProblem, oracle_under
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.streams import Stream
from holdfast.typing import Rows, Workers

EVERYONE, BYZANTINE = np.arange(1, 7), np.array([2, 6])
ATTACKS: list[LabelPoisoning | BatchPoisoning] = [LabelFlip(), RandomLabels(), DynamicLabelFlip()]
every_attack = pytest.mark.parametrize("attack", ATTACKS, ids=str)
every_problem = pytest.mark.parametrize("kind", ["softmax", "logistic"])
Small = Callable[..., LinearProblem]


def models(problem: LinearProblem, workers: Workers = EVERYONE) -> Rows:
    return np.random.default_rng(0).normal(size=(len(workers), problem.dimension))


def flipped_by_hand(problem: LinearProblem, classes: int) -> LinearProblem:
    targets = problem.shards.targets.copy()
    for worker in BYZANTINE:
        mine = slice(*problem.shards.starts[worker - 1 : worker + 1])
        targets[mine] = [classes - 1 - label for label in targets[mine]]
    return replace(problem, shards=replace(problem.shards, targets=targets))


@pytest.mark.parametrize(("kind", "classes"), [("softmax", 3), ("logistic", 2)])
def test_flipped_labels(kind: str, classes: int, small_problem: Small) -> None:
    problem = small_problem(kind)
    found = oracle_under(LabelFlip(), problem, EVERYONE, BYZANTINE, seed=0)(models(problem), 3)
    expected = flipped_by_hand(problem, classes).oracle(EVERYONE)(models(problem), 3)
    np.testing.assert_array_equal(found, expected)


@every_problem
@every_attack
def test_only_byzantine_workers_are_poisoned(
    attack: LabelPoisoning | BatchPoisoning, kind: str, small_problem: Small
) -> None:
    problem = small_problem(kind)
    honest = ~np.isin(EVERYONE, BYZANTINE)
    poisoned, plain = oracle_under(attack, problem, EVERYONE, BYZANTINE, seed=0), problem.oracle(EVERYONE)
    at = models(problem)
    before = plain(at, 3)
    for x in (at, -at):  # a label may be the least likely one at one model, not at both
        np.testing.assert_array_equal(poisoned(x, 3)[honest], plain(x, 3)[honest])
    assert any((poisoned(x, 3)[~honest] != plain(x, 3)[~honest]).any() for x in (at, -at))
    assert plain(at, 3).tobytes() == before.tobytes()  # nothing was written


@every_problem
@every_attack
def test_a_poisoned_worker_alone_has_the_same_gradients(
    attack: LabelPoisoning | BatchPoisoning, kind: str, small_problem: Small
) -> None:
    problem = small_problem(kind)
    together, at = oracle_under(attack, problem, EVERYONE, BYZANTINE, seed=0), models(problem)
    rows = together(at, 3)
    for place, worker in enumerate(EVERYONE):
        alone = np.array([worker])
        np.testing.assert_array_equal(together.only(alone)(at[[place]], 3), rows[[place]])  # type: ignore[attr-defined]
        kept = problem.only(int(worker), int(worker))  # as in a process of its own
        apart = oracle_under(attack, kept, alone, np.intersect1d(alone, BYZANTINE), seed=0)
        np.testing.assert_array_equal(apart(at[[place]], 3), rows[[place]])


def test_the_least_likely_label_by_hand(small_problem: Small) -> None:
    """The batch that round 3 draws, its scores W a + b, the class of the least; then the gradient on these labels."""
    problem = small_problem("softmax", least=40)  # of which a batch draws few
    x, shards = models(problem)[1], problem.shards
    weights, bias = x[:12].reshape(3, 4), x[12:]
    first, last = shards.starts[1], shards.starts[2]
    drawn = first + Stream(problem.seed, "batch").integers(np.array([2]), 3, np.array([last - first]), problem.batch)[0]
    expected = np.zeros(15)
    for sample in drawn:
        a = shards.features[sample]
        scores = weights @ a + bias
        likely = np.exp(scores) / np.exp(scores).sum()
        likely[scores.argmin()] -= 1
        expected += problem.weight / problem.batch * np.concatenate([np.outer(likely, a).ravel(), likely])
    found = oracle_under(DynamicLabelFlip(), problem, np.array([2]), BYZANTINE, seed=0)(x[np.newaxis], 3)[0]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_of_two_classes_the_wrong_one_is_the_least_likely(small_problem: Small) -> None:
    """The score s speaks for class 1 where it is above 0."""
    problem = small_problem("logistic")
    x, shards = models(problem)[0], problem.shards
    wrong = (shards.features @ x[:4] + x[4] < 0).astype(shards.targets.dtype)
    by_hand = replace(problem, shards=replace(shards, targets=wrong))
    found = oracle_under(DynamicLabelFlip(), problem, BYZANTINE, BYZANTINE, seed=0)(x, 3)
    np.testing.assert_array_equal(found, by_hand.oracle(BYZANTINE)(x, 3))


def test_dynamic_labels_of_a_model_that_all_share(small_problem: Small) -> None:
    problem = small_problem("softmax")
    x = models(problem)[0]
    oracle = oracle_under(DynamicLabelFlip(), problem, EVERYONE, BYZANTINE, seed=0)
    np.testing.assert_array_equal(oracle(x, 3), oracle(np.tile(x, (6, 1)), 3))


def test_the_fused_step_is_on_poisoned_labels_too(small_problem: Small) -> None:
    problem = small_problem("softmax")
    oracle = oracle_under(DynamicLabelFlip(), problem, EVERYONE, BYZANTINE, seed=0)
    at, master = models(problem), models(problem)[0]
    fused = oracle.l1_step(at, master, 0.1, 0.5, 3)  # type: ignore[attr-defined]
    np.testing.assert_allclose(fused, at - 0.1 * (oracle(at, 3) + 0.5 * np.sign(at - master)), rtol=1e-12)


def test_other_attacks_leave_the_oracle(small_problem: Small) -> None:
    problem = small_problem("softmax")
    for attack in (None, SignFlip()):
        assert type(oracle_under(attack, problem, EVERYONE, BYZANTINE, 0)) is type(problem.oracle(EVERYONE))


@every_attack
def test_without_classes_there_are_no_labels_to_poison(
    attack: LabelPoisoning | BatchPoisoning, small_problem: Small
) -> None:
    due = f"{type(attack).__name__} needs a problem with classes that can relabel samples; got LeastSquares"
    with pytest.raises(InvalidInput, match=due):
        oracle_under(attack, small_problem("least-squares"), EVERYONE, BYZANTINE, seed=0)


@pytest.mark.parametrize("method", ["sgd", "rsa"])
def test_a_run_with_flipped_labels_is_a_run_on_flipped_data(method: str) -> None:
    """What a poisoned worker sends is honest work: the same run without attack on data that are flipped by hand."""
    problem = problems.Softmax.of(load("digits"), Iid(), workers=6, scale=16.0)
    spec = Spec(problem=problem, workers=6, method=method, byzantine=(2, 6), rounds=10, eval_every=10)
    poisoned = run(replace(spec, attack="label-flip"))
    by_hand = run(replace(spec, problem=flipped_by_hand(problem, 10), byzantine=0, declared=2))
    assert poisoned.model.tobytes() == by_hand.model.tobytes()
    assert poisoned.model.tobytes() != run(replace(spec, byzantine=0, declared=2)).model.tobytes()
