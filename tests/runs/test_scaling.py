"""Standardised features: what workers report, what the master believes, and how little liars can do about it."""

from dataclasses import replace
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import outsiders
from holdfast import attacks
from holdfast.data import PARTITIONS, Dataset, Iid
from holdfast.errors import InvalidInput
from holdfast.problems import LeastSquares, LinearProblem
from holdfast.runs.plan import fill_defaults
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.runs.standardisation import Reporting
from holdfast.runs.workbench import SHARED
from holdfast.streams import Stream

M, Q = 9, 4


def some_data(count: int = 90, seed: int = 0) -> Dataset:
    generator = np.random.default_rng(seed)
    targets = np.arange(count) % 3
    features = generator.normal(size=(count, 4)) * [1, 1000, 1e-3, 1] + targets[:, np.newaxis] * [0, 500, 0, 3]
    features[:, 3] = 7.0  # it never varies
    return Dataset("some", features, targets, features[:30], targets[:30])


def reporting(**changes: Any) -> Reporting:
    nobody = Reporting(Iid(), M, tuple(range(1, M + 1)), None, (), 0, seed=0, with_target=False)
    return replace(nobody, **changes)


def test_by_hand() -> None:
    """Three workers of two samples each: means 1, 4, 10, so the centre is 4; squares about it 10, 1, 37."""
    samples = np.array([[0.0], [2.0], [3.0], [5.0], [9.0], [11.0]])
    data = Dataset("by hand", samples, np.array([0, 0, 1, 1, 2, 2]), samples, np.zeros(6))
    found = reporting(partition=PARTITIONS.make("by-label"), workers=3, taking_part=(1, 2, 3)).scaling(data)
    assert found.centre.tolist() == [4.0]
    assert found.width.tolist() == [np.sqrt(10.0)]  # the median of 10, 1 and 37
    assert found.features(samples, np.float64)[1, 0] == (2 - 4) / np.sqrt(10.0)


@pytest.mark.parametrize("partition", ["iid", "by-label", "dirichlet:alpha=0.5"])
def test_nothing_dominates_and_what_is_constant_stays(partition: str) -> None:
    data = some_data()
    found = reporting(partition=PARTITIONS.make(partition)).scaling(data)
    deviations = found.features(data.train_features, np.float64).std(axis=0)
    assert ((deviations[:3] > 0.5) & (deviations[:3] < 2)).all()
    assert found.width[3] == 1
    assert found.centre[3] == 7


ANYTHING = st.floats(width=64) | st.sampled_from([nan, inf, -inf, 1e308, -1e308, 0.0])


@given(value=ANYTHING, partition=st.sampled_from(["iid", "by-label"]), liars=st.integers(1, Q), seed=st.integers(0, 5))
def test_whatever_is_reported_centre_and_width_stay_between_honest_reports(
    value: float, partition: str, liars: int, seed: int
) -> None:
    """The bound of the module: a_(ceil(m/2) - q) <= median <= a_(floor(m/2) + 1) of the honest reports."""
    data, byzantine = some_data(seed=seed), tuple(range(M - liars + 1, M + 1))
    asked = reporting(
        partition=PARTITIONS.make(partition),
        attack=attacks.SameValue(value),
        byzantine=byzantine,
        declared=liars,
        seed=seed,
    )
    found = asked.scaling(data)
    parts = asked.partition.deal(data.train_targets, M, Stream(seed, "partition").generator())
    honest = [data.train_features[part] for part in parts[: M - liars]]
    means = np.sort([rows.mean(axis=0) for rows in honest], axis=0)
    squares = np.sort([((rows - found.centre) ** 2).mean(axis=0) for rows in honest], axis=0)
    low, high = -(-M // 2) - liars - 1, M // 2  # counted from 0
    close = 1e-9 * (1 + np.abs(means))
    assert (found.centre >= means[low] - close[low]).all()
    assert (found.centre <= means[high] + close[high]).all()
    varied = np.arange(4) != 3
    assert (found.width[varied] ** 2 >= squares[low][varied] * (1 - 1e-9)).all()
    assert (found.width[varied] ** 2 <= squares[-1][varied] * (1 + 1e-9)).all()


@pytest.mark.parametrize("name", attacks.REGISTRY)
def test_no_attack_spoils_the_scale(name: str) -> None:
    data = some_data()
    truth = reporting().scaling(data)
    lied = reporting(attack=attacks.REGISTRY[name](), byzantine=(2, 4, 6, 9), declared=4).scaling(data)
    assert (np.abs(lied.centre - truth.centre) < truth.width).all()
    assert ((lied.width / truth.width > 0.5) & (lied.width / truth.width < 2)).all()


def test_a_feature_that_few_workers_have_is_scaled_too() -> None:
    """Most workers report 0: the largest report but `declared` many counts, and no liar's."""
    targets = np.repeat(np.arange(M), 10)
    features = np.where(targets < 3, 1000.0 * (1 + np.arange(90) % 2), 0.0)[:, np.newaxis]
    data = Dataset("rare", features, targets, features, targets)
    by_label = PARTITIONS.make("by-label")
    assert reporting(partition=by_label).scaling(data).width[0] == pytest.approx(np.sqrt(2.5e6))
    liars = {"attack": attacks.SameValue(1e100), "byzantine": (8, 9), "declared": 2}
    assert 1000 <= reporting(partition=by_label, **liars).scaling(data).width[0] <= 2000


def test_more_than_half_may_spoil_it_and_that_is_said() -> None:
    with pytest.raises(InvalidInput, match=r"fewer than half of the workers Byzantine.*\(5 of 9"):
        reporting(attack=attacks.SameValue(inf), byzantine=(1, 2, 3, 4, 5)).scaling(some_data())


# -- in a spec ---------------------------------------------------------------------------------------------------------


def table(folder: Path) -> Path:
    generator = np.random.default_rng(1)
    features = generator.normal(size=(300, 3)) * [1, 1000, 0.01]
    targets = features @ [2, 0.003, 50] + 500 + generator.normal(size=300)
    np.savetxt(folder / "own.csv", np.column_stack([features, targets]), delimiter=",", header="a,b,c,y", comments="")
    return folder / "own.csv"


def test_tables_are_standardised_by_default_and_images_are_not(tmp_path: Path) -> None:
    assert fill_defaults(Spec(data=str(table(tmp_path)))).scale == "standard"
    assert fill_defaults(Spec(data=str(table(tmp_path)), scale=1)).scale == 1
    assert fill_defaults(Spec(data="mnist")).scale == 1
    assert fill_defaults(Spec(data="digits")).scale == 16
    assert fill_defaults(Spec(data="digits", scale="standard")).scale == "standard"


def test_tables_have_no_regulariser_unless_it_is_asked_for(tmp_path: Path) -> None:
    own = str(table(tmp_path))
    assert [fill_defaults(spec).l2 for spec in (Spec(data=own), Spec(data=own, l2=0.01), Spec(data="digits"))] == [
        0,
        0.01,
        0.01,
    ]


def test_a_target_of_numbers_is_standardised_and_measured_in_its_own_unit(tmp_path: Path) -> None:
    spec = fill_defaults(
        Spec(data=str(table(tmp_path)), workers=4, rate=0.5, rounds=300, method="median", schedule="constant")
    )
    result = run(replace(spec, eval_every=300))
    assert spec.problem == "least-squares"
    assert result.last is not None
    assert result.last.metrics["r2"] > 0.9
    assert 0.7 < result.last.metrics["rmse"] < 1.5  # the noise has deviation 1
    built = SHARED.build(spec)
    dataset, problem, scaling = built.dataset, built.problem, built.scaling
    assert isinstance(problem, LeastSquares)
    assert dataset is not None
    assert scaling is not None
    assert problem.unit == scaling.target[1]
    assert problem.shards.targets.std() == pytest.approx(1, rel=0.1)


def test_honest_participants_alone_report_where_they_alone_take_part(tmp_path: Path) -> None:
    spec = Spec(data=str(table(tmp_path)), attack="same-value:value=1e9", byzantine=3, workers=8)
    ideal, attacked = (SHARED.build(fill_defaults(replace(spec, method=name))).scaling for name in ("ideal-rsa", "rsa"))
    assert ideal is not None
    assert attacked is not None
    assert not np.array_equal(ideal.centre, attacked.centre)


def test_images_can_be_standardised_on_request() -> None:
    problem = SHARED.build(fill_defaults(Spec(data="digits", scale="standard"))).problem
    assert isinstance(problem, LinearProblem)
    deviations = problem.shards.features.std(axis=0)
    assert ((deviations == 0) | (deviations < 10)).all()
    assert problem.shards.features.dtype == np.float32


def test_a_problem_of_ones_own_gets_the_scaled_data() -> None:
    spec = fill_defaults(Spec(data=outsiders.squares(), problem="softmax", scale="standard", workers=3))
    problem = SHARED.build(spec).problem
    assert isinstance(problem, LinearProblem)
    assert abs(problem.shards.features.mean()) < 0.5
