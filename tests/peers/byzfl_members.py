"""What ByzFL has of ours. Arrays go in as NumPy's, unless it says otherwise."""

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any
from unittest.mock import MagicMock

import formulas
import numpy as np
from compared import BYZANTINE as F
from compared import Fault, Shared, ours, sent

from holdfast.aggregators import CenteredClipping, Krum, Median, MultiKrum
from holdfast.attacks import Alie, Duplicate, FullView, InnerProduct
from holdfast.stages import Clipping
from holdfast.typing import Messages, Rows


def byzfl() -> Any:
    """ByzFL imports torchvision for its training loop; a stub stands for it where it is not installed."""
    if "torchvision" not in sys.modules and find_spec("torchvision") is None:
        sys.modules["torchvision"] = MagicMock(name="stub of torchvision")
    return import_module("byzfl")


def _tensor(rows: Rows) -> Any:
    import torch

    return torch.from_numpy(rows.copy())


def _seeded(rows: Rows, answer: Any) -> Any:
    np.random.seed(7)  # noqa: NPY002  (where ByzFL draws from)
    return answer(rows)


def _drawn() -> Any:
    """The draws after that seed, one vector after the other."""
    random = np.random.RandomState(7)
    return random.randn


def _shared(member: str, name: str, theirs: Any, formula: Any = None, differs: str = "") -> Shared:
    return Shared("ByzFL", member, name, lambda rows: theirs(byzfl(), rows.copy()), formula, differs)


def _two_rounds(step: Any, rows: Rows) -> Any:
    step(rows)
    return step(rows / 2 + 1)


def _our_two_rounds(rows: Rows) -> Any:
    rule, state = CenteredClipping(), CenteredClipping().init(rows[0])
    for messages in (rows, rows / 2 + 1):
        vector, state = rule.step(state, Messages.of(messages))
    return vector


def _against_the_median(attack: Any) -> Any:
    """Return what is sent to a master whose rule is the median."""
    return lambda rows: attack(FullView.of(rows, F, aggregate=Median()))[0]


SHARED = [
    _shared("mean", "Average()", lambda peer, rows: peer.Average()(rows)),
    _shared("median", "Median()", lambda peer, rows: peer.Median()(rows)),
    _shared("median", "Median() of tensors", lambda peer, rows: peer.Median()(_tensor(rows))),
    _shared("trimmed-mean", "TrMean(f)", lambda peer, rows: peer.TrMean(f=F)(rows)),
    _shared("meamed", "Meamed(f)", lambda peer, rows: peer.Meamed(f=F)(rows)),
    _shared(
        "geometric-median",
        "GeometricMedian()",
        lambda peer, rows: peer.GeometricMedian()(rows),
        lambda rows: formulas.weiszfeld(rows, np.zeros(rows.shape[1]), floor=0.1, steps=3),
        "3 steps from 0, distances below nu = 0.1 count as that; ours ends by a tolerance",
    ),
    _shared(
        "krum",
        "Krum(f)",
        lambda peer, rows: peer.Krum(f=F)(rows),
        Krum(byzantine=F - 1),
        "n - f - 1 neighbours, as ours told f - 1",
    ),
    _shared(
        "multi-krum",
        "MultiKrum(f)",
        lambda peer, rows: peer.MultiKrum(f=F)(rows),
        lambda rows: MultiKrum(byzantine=F - 1, selected=len(rows) - F)(rows),
        "n - f - 1 neighbours, as ours told f - 1; the n - f best, as ours",
    ),
    _shared(
        "minimum-diameter",
        "MDA(f)",
        lambda peer, rows: peer.MDA(f=F)(rows),
        lambda rows: formulas.first_least_diameter(rows, F),
        "of sets with the same widest pair the first; ours is the one of least sum of squared distances",
    ),
    _shared("centered-clipping", "CenteredClipping()", lambda peer, rows: peer.CenteredClipping()(rows)),
    _shared(
        "centered-clipping",
        "CenteredClipping(), second round",
        lambda peer, rows: _two_rounds(peer.CenteredClipping(), rows),
        _our_two_rounds,
    ),
    _shared(
        "smea",
        "SMEA(f)",
        lambda peer, rows: _seeded(rows, peer.SMEA(f=F)),
        lambda rows: formulas.smea(rows, F, formulas.by_power(_drawn(), steps=1, rayleigh=False)),
        "eigenvalues by one power step from a random vector, of NumPy's global state; ours are exact",
    ),
    _shared(
        "caf",
        "CAF(f)",
        lambda peer, rows: _seeded(rows, peer.CAF(f=F)),
        lambda rows: formulas.caf(rows, F, formulas.by_power(_drawn(), steps=1, rayleigh=False)),
        "eigenvector by one power step from a random vector, of NumPy's global state; ours is exact",
    ),
    _shared("nnm", "NNM(f)", lambda peer, rows: peer.NNM(f=F)(rows)),
    _shared(
        "bucketing",
        "Bucketing(s=2)",
        lambda peer, rows: _seeded(rows, peer.Bucketing(s=2)),
        lambda rows: formulas.buckets(rows[np.random.RandomState(7).permutation(len(rows))], 2),
        "order from NumPy's global state; ours is addressed by (seed, worker, round)",
    ),
    _shared(
        "clip",
        "Clipping()",
        lambda peer, rows: peer.Clipping()(rows),
        Clipping(radius=2.0),
        "c = 2; our radius is 100",
    ),
    _shared("arc", "ARC(f)", lambda peer, rows: peer.ARC(f=F)(rows)),
    _shared(
        "alie",
        "ALittleIsEnough()",
        lambda peer, rows: peer.ALittleIsEnough()(rows),
        sent(Alie(z=-1.5)),
        "mu + tau sigma, tau = 1.5 whatever n and f; ours is mu - z sigma with z by the paper's formula",
    ),
    _shared(
        "alie",
        "Optimal_ALittleIsEnough(Median)",
        lambda peer, rows: peer.Optimal_ALittleIsEnough(agg=peer.Median(), pre_agg_list=[], f=F)(rows),
        _against_the_median(Alie(z=-1.0, search="upward", evaluations=20)),
        "20 tries upward from 0, first step 10, our search=upward; search=line tries both signs and small constants",
    ),
    _shared(
        "inner-product",
        "InnerProductManipulation()",
        lambda peer, rows: peer.InnerProductManipulation()(rows),
        sent(InnerProduct(scale=2.0)),
        "tau = 2; our scale is 0.1",
    ),
    _shared(
        "inner-product",
        "Optimal_InnerProductManipulation(Median)",
        lambda peer, rows: peer.Optimal_InnerProductManipulation(agg=peer.Median(), pre_agg_list=[], f=F)(rows),
        _against_the_median(InnerProduct(search="upward", evaluations=20)),
        "20 tries upward from 0, first step 10, our search=upward; search=line tries both signs and small constants",
    ),
    _shared(
        "sign-flip",
        "SignFlipping()",
        lambda peer, rows: peer.SignFlipping()(rows),
        sent(InnerProduct(scale=1.0)),
        "the honest mean times -1, our inner-product with scale 1; ours is the worker's own message times -4",
    ),
    _shared(
        "mimic",
        "Mimic()",
        lambda peer, rows: peer.Mimic()(rows),
        sent(Duplicate(worker=1)),
        "always the first worker, our duplicate; ours follows the direction of largest variance",
    ),
    _shared("infinite", "Inf()", lambda peer, rows: peer.Inf()(rows)),
    _shared(
        "gaussian",
        "Gaussian()",
        lambda peer, rows: _seeded(rows, peer.Gaussian()),
        lambda rows: np.random.RandomState(7).normal(size=rows.shape[1]),
        "sigma = 1, one vector for all Byzantine workers, of NumPy's global state; ours is 10000, addressed by worker "
        "and round",
    ),
]


def _with_nan() -> Rows:
    rows = np.random.default_rng(0).normal(size=(11, 3))
    rows[4, 1] = np.nan
    return rows


def _nan_in_nan_out(rule: str, member: str) -> Fault:
    def shown() -> bool:
        made: Any = getattr(byzfl(), rule)
        answer = (made(f=F) if member == "krum" else made())(_with_nan())
        return bool(np.isnan(answer).any() and np.isfinite(ours(member)(_with_nan())).all())

    return Fault("ByzFL", member, f"one NaN in one of 11 rows makes {rule}'s answer NaN", shown)


def _overwrites(stage: str, member: str) -> Fault:
    def shown() -> bool:
        rows = np.random.default_rng(0).normal(size=(11, 3)) * 9
        before = rows.copy()
        made: Any = getattr(byzfl(), stage)
        (made(f=F) if member == "arc" else made())(rows)
        return not np.array_equal(rows, before)

    return Fault("ByzFL", member, f"{stage} overwrites the caller's array", shown)


def _differs_from_itself(rule: str, member: str) -> Fault:
    def shown() -> bool:
        rows = np.random.default_rng(0).normal(size=(11, 5))
        made: Any = getattr(byzfl(), rule)(f=F)
        answers = {made(rows).tobytes() for _ in range(20)}
        return len(answers) > 1 and len({ours(member)(rows).tobytes() for _ in range(20)}) == 1

    return Fault("ByzFL", member, f"{rule} of the same rows gives different answers", shown)


def _memory_changed() -> bool:
    peer, rows = byzfl(), np.random.default_rng(0).normal(size=(9, 3))
    rule = peer.CenteredClipping(tau=1.0)
    peer.Optimal_ALittleIsEnough(agg=rule, pre_agg_list=[], f=F)(rows)
    return rule.m is not None


def _not_scaled() -> bool:
    """A geometric median of rows a thousand times smaller is a thousand times smaller."""
    peer, rows = byzfl().GeometricMedian(), np.random.default_rng(0).normal(size=(11, 3)) + 1
    answer, small = peer(rows), 1000 * peer(rows / 1000)
    return not np.allclose(answer, small, rtol=0.01) and np.allclose(
        ours("geometric-median")(rows), 1000 * ours("geometric-median")(rows / 1000), rtol=1e-5
    )


FAULTS = [
    _nan_in_nan_out("Median", "median"),
    _nan_in_nan_out("GeometricMedian", "geometric-median"),
    _nan_in_nan_out("Krum", "krum"),
    Fault(
        "ByzFL", "geometric-median", "its answer does not scale with the rows: nu is an absolute length", _not_scaled
    ),
    _differs_from_itself("SMEA", "smea"),
    _differs_from_itself("CAF", "caf"),
    Fault("ByzFL", "caf", "CAF(0) answers None", lambda: byzfl().CAF(f=0)(np.ones((5, 2))) is None),
    _overwrites("Clipping", "clip"),
    _overwrites("ARC", "arc"),
    Fault(
        "ByzFL",
        "alie",
        "the trials of its searched attacks change the memory of the rule under attack",
        _memory_changed,
    ),
]
