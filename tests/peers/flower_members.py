"""What Flower has of ours: the rules behind its strategies, old (flwr.server) and new (flwr.serverapp)."""

from importlib import import_module
from typing import Any

import formulas
import numpy as np
from compared import BYZANTINE as F
from compared import Fault, Shared, ours

from holdfast.aggregators import Krum, Mean, MultiKrum
from holdfast.typing import Rows

CLAIMED = 7
"""How many samples the first client says it has; the others say 1."""


def _old(name: str) -> Any:
    return getattr(import_module("flwr.server.strategy.aggregate"), name)


def _results(rows: Rows, first: int = 1) -> list[tuple[list[Rows], int]]:
    return [([row.copy()], first if place == 0 else 1) for place, row in enumerate(rows)]


def _shared(member: str, name: str, theirs: Any, formula: Any = None, differs: str = "") -> Shared:
    return Shared("Flower", member, name, theirs, formula, differs)


def _reply(row: Rows, samples: int = 1) -> Any:
    from flwr.app import Array, ArrayRecord, MetricRecord, RecordDict

    return RecordDict({"arrays": ArrayRecord({"x": Array(row)}), "metrics": MetricRecord({"num-examples": samples})})


def _selected(rows: Rows, select: int, byzantine: int = F) -> list[Any]:
    chosen = import_module("flwr.serverapp.strategy.multikrum").select_multikrum(
        [_reply(row) for row in rows], byzantine, select
    )
    return [content["arrays"].to_numpy_ndarrays()[0] for content in chosen]


def _new_bulyan(rows: Rows) -> Any:
    n = len(rows)
    closest: Any = import_module("flwr.serverapp.strategy.bulyan").aggregate_n_closest_weights
    chosen = _selected(rows, n - 2 * F)
    return closest([np.median(chosen, axis=0)], [[row] for row in chosen], n - 4 * F)[0]


def _claims(rows: Rows) -> Any:
    return np.array([CLAIMED, *(len(rows) - 1) * [1]], np.float64)


SHARED = [
    _shared("mean", "aggregate, one sample each", lambda rows: _old("aggregate")(_results(rows))[0]),
    _shared(
        "mean",
        "aggregate, 7 samples claimed by one",
        lambda rows: _old("aggregate")(_results(rows, CLAIMED))[0],
        lambda rows: Mean().weigh(rows, _claims(rows)),
        "weighted by the samples that clients claim; ours only by those that the server dealt",
    ),
    _shared("median", "aggregate_median", lambda rows: _old("aggregate_median")(_results(rows))[0]),
    _shared(
        "trimmed-mean",
        "aggregate_trimmed_avg(f/n)",
        lambda rows: _old("aggregate_trimmed_avg")(_results(rows), F / len(rows))[0],
    ),
    _shared(
        "trimmed-mean",
        "trim_mean(f/n), serverapp",
        lambda rows: import_module("flwr.serverapp.strategy.fedtrimmedavg").trim_mean(rows, F / len(rows)),
    ),
    _shared("krum", "aggregate_krum(to_keep=0)", lambda rows: _old("aggregate_krum")(_results(rows), F, 0)[0]),
    _shared("krum", "select_multikrum(1), serverapp", lambda rows: _selected(rows, 1)[0]),
    _shared(
        "multi-krum",
        "aggregate_krum(to_keep=3)",
        lambda rows: _old("aggregate_krum")(_results(rows), F, 3)[0],
        MultiKrum(byzantine=F, selected=3),
        "how many are averaged has no default, and they are weighted by the samples that clients claim; ours is n - f",
    ),
    _shared(
        "multi-krum",
        "select_multikrum(3), serverapp",
        lambda rows: np.mean(_selected(rows, 3), axis=0),
        MultiKrum(byzantine=F, selected=3),
        "how many are averaged is 1 by default; ours is n - f",
    ),
    _shared(
        "bulyan",
        "aggregate_bulyan(aggregate_krum)",
        lambda rows: _old("aggregate_bulyan")(_results(rows), F, _old("aggregate_krum"), to_keep=0)[0],
        lambda rows: formulas.bulyan_by_first(rows, F),
        "of rows that tie, as two do that are each other's only neighbour, the first; ours goes by one neighbour more",
    ),
    _shared(
        "bulyan",
        "Bulyan, serverapp",
        _new_bulyan,
        lambda rows: formulas.one_shot_bulyan(rows, F),
        "the n - 2f best Krum scores at once; ours chooses one after the other, as the paper does",
    ),
]


def _trims_nothing() -> bool:
    """int(1 / 49 * 49) is 0: the one Byzantine row of 49 is not trimmed."""
    rows = np.random.default_rng(0).normal(size=(49, 2))
    rows[7] = 1e9
    answer = _old("aggregate_trimmed_avg")(_results(rows), 1 / 49)[0]
    return bool(np.abs(answer).max() > 1e6)


def _no_majority() -> bool:
    """4 rows, 10 of them Byzantine; ours refuses."""
    rows = np.random.default_rng(0).normal(size=(4, 2))
    return bool(
        np.isfinite(_old("aggregate_krum")(_results(rows), 10, 0)[0]).all() and len(_selected(rows, 1, 10)) == 1
    )


def _gramian_loses() -> bool:
    """Rows of size 1 about 1e5 in float32; the truth in float64 from differences."""
    rows = (np.random.default_rng(3).normal(size=(11, 50)) * np.linspace(1, 3, 11)[:, np.newaxis] + 1e5).astype(
        np.float32
    )
    chosen = _selected(rows, 1)[0]
    return not np.array_equal(chosen, Krum(F)(rows.astype(np.float64)).astype(np.float32)) and np.array_equal(
        Krum(F)(rows), Krum(F)(rows.astype(np.float64)).astype(np.float32)
    )


def _median_of_nan() -> bool:
    rows = np.random.default_rng(0).normal(size=(11, 3))
    rows[4, 1] = np.nan
    with np.errstate(invalid="ignore"):
        answer = _old("aggregate_median")(_results(rows))[0]
    return bool(np.isnan(answer).any() and np.isfinite(ours("median")(rows)).all())


def _claims_buy_the_mean() -> bool:
    """Of the three that Multi-Krum keeps, one that claims a million samples decides alone."""
    rows = np.random.default_rng(0).normal(size=(11, 3))
    best = int(Krum(F).weights(rows).argmax())
    results = [([row.copy()], 10**6 if place == best else 1) for place, row in enumerate(rows)]
    return bool(np.allclose(_old("aggregate_krum")(results, F, 3)[0], rows[best], atol=1e-4))


FAULTS = [
    Fault(
        "Flower",
        "trimmed-mean",
        "told to trim 1 of 49 rows as the share 1/49 it trims none, and one Byzantine row moves it anywhere: the share "
        "times n is rounded down",
        _trims_nothing,
    ),
    Fault("Flower", "krum", "4 rows of which 10 lie get an answer, in both of its Krums", _no_majority),
    Fault(
        "Flower",
        "krum",
        "serverapp's goes by a Gramian of raw rows: 1e5 away from 0, in float32, it chooses another row",
        _gramian_loses,
    ),
    Fault("Flower", "median", "one NaN in one of 11 rows makes its answer NaN", _median_of_nan),
    Fault("Flower", "multi-krum", "a chosen client that claims a million samples decides alone", _claims_buy_the_mean),
]
