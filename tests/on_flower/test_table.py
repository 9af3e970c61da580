"""The table of docs/federation.md: what Flower's own strategies answer, and what ours does. Each row is a test.

Flower's answers are those of the installed version; a test that fails there means that Flower has changed.
"""

import numpy as np
import pytest

pytest.importorskip("flwr")

from flwr.serverapp.exception import AggregationError, InconsistentMessageReplies
from flwr.serverapp.strategy import FedAvg, FedMedian, FedTrimmedAvg, Krum, MultiKrum
from strategies import models, played

from holdfast.errors import InvalidInput
from holdfast.flower import RobustStrategy


@pytest.mark.parametrize(
    ("nodes", "declared", "error"),
    [
        (3, 1, "Krum needs n >= byzantine . 3; got n=3, byzantine=1"),
        (4, 10, "krum needs n > 2 . declared, a majority that is honest; got n=4, declared=10"),
        (4, -5, "declared must be a whole number from 0 on; got -5"),
    ],
)
def test_impossible_numbers(nodes: int, declared: int, error: str) -> None:
    model, _ = played(Krum(num_malicious_nodes=declared), models(*range(nodes)))
    assert model is not None  # a model, silently
    with pytest.raises(InvalidInput, match=error):
        RobustStrategy("krum", declared, min_train_nodes=nodes)


def test_the_numbers_are_also_checked_against_who_is_connected() -> None:
    with pytest.raises(InvalidInput, match=r"Krum needs n >= byzantine . 3; got n=3, byzantine=1"):
        played(RobustStrategy("krum", 1), models(1, 2, 3))


def test_krum_with_a_byzantine_majority() -> None:
    model, _ = played(Krum(num_malicious_nodes=2), models(1, 100, 100))
    assert model is not None
    assert model["w"][0] == 100
    with pytest.raises(InvalidInput, match=r"krum needs n > 2 . declared"):
        RobustStrategy("krum", 2, min_train_nodes=3)


def test_multi_krum_that_selects_more_than_there_are() -> None:
    model, _ = played(MultiKrum(num_malicious_nodes=1, num_nodes_to_select=99), models(0, 0, 0, 1e6))
    assert model is not None
    assert model["w"][0] == 250_000
    with pytest.raises(InvalidInput, match="MultiKrum needs selected <= n - byzantine; got selected=99"):
        played(RobustStrategy("multi-krum:selected=99", 1), models(0, 0, 0, 1e6))


def test_a_claimed_sample_count_owns_multi_krum() -> None:
    replies, claims = models(1, 1.1, 1.2, 1.3, 2), [1, 1, 1, 1e12, 1]
    model, _ = played(MultiKrum(num_malicious_nodes=1, num_nodes_to_select=3), replies, claims)
    assert model is not None
    assert model["w"][0] == pytest.approx(1.3, abs=1e-6)
    ours, _ = played(RobustStrategy("multi-krum:selected=3", 1), replies, claims)
    assert ours is not None
    assert ours["w"][0] == pytest.approx(1.2)


def test_a_trimmed_mean_that_trims_nobody() -> None:
    model, _ = played(FedTrimmedAvg(beta=0.2), models(0, 0, 0, 1e6))
    assert model is not None
    assert model["w"][0] == 250_000
    ours, _ = played(RobustStrategy("trimmed-mean", 1), models(0, 0, 0, 1e6))
    assert ours is not None
    assert ours["w"][0] == 0


def test_one_nan_of_seven() -> None:
    replies = models(1.0, 1.01, 1.02, 1.03, 1.04, 1.05, np.nan)
    with np.errstate(invalid="ignore"):
        model, _ = played(FedMedian(), replies)
    assert model is not None
    assert np.isnan(model["w"][0])
    strategy = RobustStrategy("median", 1)
    ours, metrics = played(strategy, replies)
    assert ours is not None
    assert ours["w"][0] == pytest.approx(1.025)  # of the six that are left
    assert metrics is not None
    assert metrics["replies-dropped"] == 1
    assert list(strategy.reports[0].dropped.values()) == ["array 'w' must be finite; got NaN or infinity"]


def test_krum_near_1000() -> None:
    """Ten honest models about 1000 that differ by 0.01, and one that differs by 0.03; 200 draws."""
    from flwr.serverapp.strategy.multikrum import compute_distances

    generator = np.random.default_rng(0)
    least, chosen = np.inf, [0, 0]
    for _ in range(200):
        rows = 1000 + 0.01 * generator.normal(size=(11, 1000))
        rows[-1] = 1000 + 0.03 * generator.normal(size=1000)
        replies = [{"w": row.astype(np.float32)} for row in rows]
        sent = {"w": np.full(1000, 1000, np.float32)}
        for place, strategy in enumerate([Krum(num_malicious_nodes=1), RobustStrategy("krum", 1)]):
            model, _ = played(strategy, replies, sent=sent)
            assert model is not None
            chosen[place] += np.abs(model["w"] - replies[-1]["w"]).max() < 1e-4
        from flwr.app import Array, ArrayRecord

        least = min(least, compute_distances([ArrayRecord({"w": Array(reply["w"])}) for reply in replies]).min())
    assert least < -100  # squared distances
    assert chosen[0] > 0
    assert chosen[1] == 0


@pytest.mark.parametrize("other", [{"v": np.zeros(2, np.float32)}, {"w": np.zeros(3, np.float32)}])
@pytest.mark.parametrize("kind", [FedAvg, FedMedian, FedTrimmedAvg, Krum])
def test_one_reply_with_another_key_or_shape(kind: type, other: dict[str, np.ndarray]) -> None:
    replies = [*models(1, 1, 1, 1), other]
    with pytest.raises((InconsistentMessageReplies, AggregationError, ValueError)):  # one node ends the federation
        played(kind(), replies)
    strategy = RobustStrategy("krum", 1)
    ours, _ = played(strategy, replies)
    assert ours is not None
    assert ours["w"][0] == 1
    assert list(strategy.reports[0].dropped) == [2**63 + 4]


def test_a_reply_of_one_number_is_not_spread_over_the_model() -> None:
    replies = [*models(1, 1, 1), {"w": np.full(1, 1e6, np.float32)}]
    model, _ = played(FedAvg(), replies)
    assert model is not None
    assert model["w"].tolist() == [250_000.75, 250_000.75]
    strategy = RobustStrategy("mean", 1)
    ours, _ = played(strategy, replies)
    assert ours is not None
    assert ours["w"].tolist() == [1, 1]
    assert list(strategy.reports[0].dropped.values()) == ["array 'w' must have shape (2,); got (1,)"]


@pytest.mark.parametrize("claim", [1e18, -600.0, np.nan])
def test_claims_are_not_read(claim: float) -> None:
    replies, claims = models(1, 1, 1, 7), [200, 200, 200, claim]
    if claim == -600.0:
        with pytest.raises(ZeroDivisionError):
            played(FedAvg(), replies, claims)
    else:
        model, _ = played(FedAvg(), replies, claims)
        assert model is not None
        assert model["w"][0] == pytest.approx(7 if claim == 1e18 else claim, nan_ok=True)
    ours, _ = played(RobustStrategy("mean", 1), replies, claims)
    assert ours is not None
    assert ours["w"][0] == 2.5
