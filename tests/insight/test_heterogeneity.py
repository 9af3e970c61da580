"""How workers differ and which norm is preferred, by hand."""

import json
from math import inf

import numpy as np
import pytest

from holdfast.data import ByLabel, Iid, Partition
from holdfast.errors import InvalidInput
from holdfast.insight.advice import advise
from holdfast.insight.advice_sentences import averaging, degree, limit, minority
from holdfast.insight.heterogeneity import Heterogeneity
from holdfast.insight.norm_choice import choose_norm, push
from holdfast.problems import Shards, Softmax
from holdfast.runs.spec import Spec
from holdfast.theory import variance
from own_problem import Own

CALM = Heterogeneity(per_worker=np.array([1.0, 3.0]), common=8.0, spread=1.0, chance=1.0)
WILD = Heterogeneity(per_worker=np.array([1.0, 3.0]), common=1.0, spread=9.0, chance=1.0)


def test_by_hand() -> None:
    found = Heterogeneity.of(
        at_optimum=np.array([[3.0, 0.0], [1.0, 4.0]]),  # mean (2, 2); both are sqrt(1 + 4) away
        at_start=np.array([[4.0, 0.0], [0.0, 2.0]]),  # mean (2, 1); both are sqrt(4 + 1) away
        variances=np.array([0.0, 6.0]),
        sizes=np.array([1.0, 3.0]),
    )
    assert found.per_worker.tolist() == [5.0, 5.0]
    assert found.zeta2 == 5.0
    assert found.common == found.spread == 5.0
    assert found.relative == 1.0
    assert found.at_start == 0.5  # (16 + 4) / 2 = 10 is the mean square, 5 of it the spread
    # pooled mean (1, 1.5): squares 9 + 2.25 and 1 + 0.25; (1 * 11.25 + 3 * (6 + 1.25)) / (4 - 1) = 11 a sample
    # means of 1 and of 3 samples, half the difference of which is the distance of both from their mean:
    # 11 * (1 + 1/3) / 4, the difference's variance being 11 * (1 + 1/3) where no sample is in both
    assert found.chance == pytest.approx(11 / 3)
    assert found.excess == pytest.approx(15 / 11)


def test_chance_explains_samples_dealt_at_random() -> None:
    generator = np.random.default_rng(3)
    features, targets = generator.normal(size=(240, 3)), generator.integers(0, 3, 240)
    ratios = []
    for _ in range(200):
        parts = np.split(generator.permutation(240), [10, 40, 120])
        problem = Softmax(Shards.deal(features, targets, parts, dtype=np.float64), 3, batch=1, weight=1.0)
        ids, start = problem.shards.workers, problem.start()
        slopes = problem.local_gradients(start, ids)
        sizes = np.diff(problem.shards.starts).astype(np.float64)
        found = Heterogeneity.of(slopes, slopes, variance(problem, start, ids), sizes)
        ratios.append([found.spread, found.chance])
    spread, chance = np.mean(ratios, axis=0)
    assert spread / chance == pytest.approx(1, abs=0.1)


def test_equal_workers_are_alike() -> None:
    same = np.ones((3, 2))
    found = Heterogeneity.of(same, same, np.zeros(3), np.ones(3))
    assert (found.zeta2, found.at_start, found.excess) == (0.0, 0.0, None)
    assert degree(found) == "alike"


def test_degrees() -> None:
    assert degree(CALM) == "alike"  # as much as chance
    assert degree(Heterogeneity(CALM.per_worker, common=8.0, spread=4.0, chance=1.0)) == "somewhat different"  # 4 of 12
    assert degree(WILD) == "very different"  # 9 of 10


@pytest.mark.parametrize(
    ("p", "longest"),
    # over |z|_b <= 1 in 16 dimensions: all entries 1; on the sphere; b = 3, all 16^(-1/3): 4 * 16^(-1/3); one entry 1
    [(1.0, 4.0), (2.0, 1.0), (1.5, 4 * 16 ** (-1 / 3)), (4.0, 1.0), (inf, 1.0)],
)
def test_push(p: float, longest: float) -> None:
    assert push(p, penalty=0.5, dimension=16) == pytest.approx(0.5 * longest)


def test_the_norm_with_the_least_push() -> None:
    assert choose_norm({1.0: 3.0, 2.0: 1.0, inf: 2.0})[0] == 2.0
    assert choose_norm({1.0: 5.0, 2.0: 5.0, inf: 1.0})[0] == inf
    p, why = choose_norm({1.0: 0.5, 2.0: 1.0})
    assert p == 1.0
    assert why.startswith(
        "at its lambda a Byzantine worker moves the master by at most alpha * 0.5 per round (l2 1); a rule of thumb"
    )


@pytest.mark.parametrize("partition", [Iid(), ByLabel()], ids=str)
def test_by_rule_that_is_l2(partition: Partition) -> None:
    # (gain / |x|_1) sqrt(d) >= gain / |x|_2 and gain / |x|_inf >= gain / |x|_2, at every x on a worker's way
    advice = advise(Spec(data="digits", partition=partition, workers=10))
    l1, l2, linf = (norm.push for norm in advice.norms)
    assert l2 == min(l1, l2, linf)
    assert advice.chosen.p == 2.0
    assert advice.spec.method_name == "rsa"


def test_half_is_too_many() -> None:
    assert minority(4, 9).holds
    assert minority(4, 9).why == "q = 4 is fewer than half of m = 9"
    assert not minority(5, 10).holds
    assert minority(5, 10).why.startswith("no guarantee: q = 5 is not fewer than half of m = 10")


def test_what_differing_workers_cost() -> None:
    assert "(q/m) zeta^2 = 0.4 " in limit(CALM, byzantine=1, workers=5)  # 1/5 of (1 + 3) / 2
    assert "no worker is Byzantine" in limit(WILD, byzantine=0, workers=5)


def test_averaging_where_nobody_is_byzantine() -> None:
    assert averaging(CALM, byzantine=0).holds
    assert not averaging(CALM, byzantine=1).holds
    assert "a mean anywhere" in averaging(WILD, byzantine=1).why


def test_named_workers_are_byzantine() -> None:
    advice = advise(Spec(data="digits", workers=5, byzantine=(2, 4)))
    assert advice.honest == (1, 3, 5)
    explain = json.loads(json.dumps(advice.to_json(), allow_nan=False))
    assert (explain["byzantine"], explain["honest"], explain["partition"]) == (2, [1, 3, 5], "iid")
    assert explain["told"]["byzantine"] == "q = 2 is fewer than half of m = 5"


def test_a_problem_without_a_known_optimum_is_refused_in_a_line() -> None:
    with pytest.raises(InvalidInput, match=r"advise needs a problem with a known optimum .*; got Own"):
        advise(Spec(problem=Own(), workers=2))
