"""What ByzPy has of ours. It takes a tensor per worker, here of float64."""

from importlib import import_module
from typing import Any

import formulas
import numpy as np
from compared import BYZANTINE as F
from compared import Fault, Shared, ours, sent

from holdfast.aggregators import CenteredClipping, Krum, MultiKrum
from holdfast.attacks import Duplicate, InnerProduct, LabelFlip, SignFlip
from holdfast.attacks.mean_shifts import deviation
from holdfast.attacks.threats import FullView
from holdfast.stages import Bucketing, Clipping
from holdfast.typing import Messages, Rows

AGGREGATORS, BEFORE, ATTACKS = "byzpy.aggregators", "byzpy.pre_aggregators", "byzpy.attacks"


def _tensors(rows: Rows) -> list[Any]:
    import torch

    return [torch.from_numpy(row.copy()) for row in rows]


def _made(path: str, **options: Any) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)(**options)


def _rule(member: str, path: str, formula: Any = None, differs: str = "", **options: Any) -> Shared:
    def theirs(rows: Rows) -> Any:
        return _made(f"{AGGREGATORS}.{path}", **options).aggregate(_tensors(rows)).numpy()

    return Shared("ByzPy", member, _written(path, options), theirs, formula, differs)


def _stage(member: str, path: str, formula: Any = None, differs: str = "", **options: Any) -> Shared:
    def theirs(rows: Rows) -> Any:
        return np.stack(_made(f"{BEFORE}.{path}", **options).pre_aggregate(_tensors(rows)))

    return Shared("ByzPy", member, _written(path, options), theirs, formula, differs)


def _attack(member: str, path: str, formula: Any = None, differs: str = "", **options: Any) -> Shared:
    def theirs(rows: Rows) -> Any:
        attack, messages = _made(f"{ATTACKS}.{path}", **options), _tensors(rows)
        wanted = {"base_grad": messages[0]} if attack.uses_base_grad else {"honest_grads": messages}
        return np.asarray(attack.apply(**wanted))

    return Shared("ByzPy", member, _written(path, options), theirs, formula, differs)


def _written(path: str, options: dict[str, Any]) -> str:
    told = ", ".join("f" if name == "f" else f"{name}={value}" for name, value in options.items())
    return f"{path.rpartition('.')[2]}({told})"


def _in_our_order(rows: Rows) -> Any:
    order = Bucketing(size=1)(Messages.of(rows)).workers - 1
    rule = _made(f"{BEFORE}.bucketing.Bucketing", bucket_size=2, perm=order.tolist())
    return np.stack(rule.pre_aggregate(_tensors(rows)))


def _little(rows: Rows) -> Any:
    """mu + z sigma with Phi(z) = (n - s) / n and n in sigma's denominator."""
    from statistics import NormalDist

    h, n = len(rows), len(rows) + F
    z = NormalDist().inv_cdf((n - (n // 2 + 1 - F)) / n)
    sigma = deviation(FullView.of(rows)) * np.sqrt((h - 1) / h)
    return rows.mean(axis=0) + z * sigma


def _flipped_gradient(rows: Rows) -> Any:
    """The gradient of a linear softmax at 0 on 4 samples per class of 3, whose labels it flips."""
    import torch

    model = torch.nn.Linear(rows.shape[1], 3, dtype=torch.float64)
    torch.nn.init.zeros_(model.weight)
    torch.nn.init.zeros_(model.bias)
    labels = torch.arange(len(rows)) % 3
    return _made(f"{ATTACKS}.label_flip.LabelFlipAttack", num_classes=3).apply(
        model=model, x=torch.from_numpy(rows.copy()), y=labels
    )


def _our_flipped_gradient(rows: Rows) -> Any:
    labels = LabelFlip().relabel(np.arange(len(rows)) % 3, classes=3, worker=1, seed=0)
    residuals = (1 / 3 - np.eye(3)[labels]) / len(rows)
    return np.concatenate([(residuals.T @ rows).ravel(), residuals.sum(axis=0)])


SHARED = [
    _rule(
        "median",
        "coordinate_wise.median.CoordinateWiseMedian",
        formulas.lower_median,
        "of two middle values the lower; ours is their mean",
    ),
    _rule("trimmed-mean", "coordinate_wise.trimmed_mean.CoordinateWiseTrimmedMean", f=F),
    _rule(
        "meamed",
        "coordinate_wise.mean_of_medians.MeanOfMedians",
        lambda rows: formulas.nearest_mean(rows, formulas.lower_median(rows), len(rows) - F),
        "about the lower of two middle values; ours about their mean",
        f=F,
    ),
    _rule(
        "geometric-median",
        "geometric_wise.geometric_median.GeometricMedian",
        lambda rows: formulas.weiszfeld(rows, formulas.lower_median(rows), 1e-12, 256, shortest=1e-6),
        "Weiszfeld's own steps, the last below 1e-6 in absolute length; ours ends by a length relative to the rows' "
        "spread, 1e-7 of it",
    ),
    _rule(
        "krum",
        "geometric_wise.krum.Krum",
        Krum(byzantine=F - 1),
        "n - f - 1 neighbours, as ours told f - 1",
        f=F,
    ),
    _rule(
        "multi-krum",
        "geometric_wise.krum.MultiKrum",
        MultiKrum(byzantine=F - 1, selected=3),
        "n - f - 1 neighbours, as ours told f - 1; how many are averaged has no default",
        f=F,
        q=3,
    ),
    _rule(
        "minimum-diameter",
        "geometric_wise.minimum_diameter_average.MinimumDiameterAveraging",
        lambda rows: formulas.first_least_diameter(rows, F),
        "of sets with the same widest pair the first; ours is the one of least sum of squared distances",
        f=F,
    ),
    _rule("smea", "geometric_wise.smea.SMEA", f=F),
    _rule("cge", "norm_wise.comparative_gradient_elimination.ComparativeGradientElimination", f=F),
    _rule(
        "caf",
        "norm_wise.caf.CAF",
        lambda rows: formulas.caf(
            rows, F, formulas.by_power(lambda d: np.random.default_rng(0).normal(size=d), steps=3, rayleigh=True)
        ),
        "eigenvector by 3 power steps from a fixed vector; ours is exact",
        f=F,
    ),
    _rule(
        "centered-clipping",
        "norm_wise.center_clipping.CenteredClipping",
        lambda rows: formulas.clipped_steps(rows, rows.mean(axis=0), 2.0, 10),
        "no memory: 10 steps from the mean of all rows, Byzantine ones too, and no default radius; ours is one step "
        "from the last result",
        c_tau=2.0,
    ),
    _rule(
        "centered-clipping",
        "norm_wise.center_clipping.CenteredClipping",
        CenteredClipping(radius=2.0, steps=10),
        "",
        c_tau=2.0,
        init="zero",
    ),
    _stage("nnm", "nnm.NearestNeighborMixing", f=F),
    Shared("ByzPy", "bucketing", "Bucketing(bucket_size=2, perm)", _in_our_order),
    _stage("clip", "clipping.Clipping", Clipping(radius=2.0), "threshold = 2; our radius is 100"),
    _stage("arc", "arc.ARC", f=F),
    _attack(
        "alie",
        "little.LittleAttack",
        _little,
        "mu + z sigma, Phi(z) = (n - s)/n, n in the denominator of sigma; ours is mu - z sigma, "
        "(n - f - s)/(n - f) and n - 1",
        f=F,
    ),
    _attack("inner-product", "empire.EmpireAttack", sent(InnerProduct(scale=1.0)), "scale = 1; ours is 0.1"),
    _attack("sign-flip", "sign_flip.SignFlipAttack", sent(SignFlip(factor=-1.0)), "factor -1; ours is -4, the paper's"),
    _attack(
        "mimic",
        "mimic.MimicAttack",
        sent(Duplicate(worker=1)),
        "always the first worker, our duplicate; ours follows the direction of largest variance",
    ),
    _attack("infinite", "inf.InfAttack"),
    _attack(
        "gaussian",
        "gaussian.GaussianAttack",
        lambda rows: np.random.default_rng(5).normal(size=rows.shape[1]),
        "sigma = 1, one vector for all Byzantine workers, unseeded by default; ours is 10000, addressed by worker and "
        "round",
        seed=5,
    ),
    Shared("ByzPy", "label-flip", "LabelFlipAttack(num_classes)", _flipped_gradient, _our_flipped_gradient),
]


def _far_rows(far: float) -> Rows:
    """Rows of which one is nearest to the others, about a point far away."""
    rows = np.random.default_rng(3).normal(size=(11, 5)) * np.linspace(1, 3, 11)[:, np.newaxis]
    return rows + far


def _gramian_loses(path: str, member: str, formula: Any, **options: Any) -> Fault:
    def shown() -> bool:
        rows = _far_rows(1e9)
        answer = _made(f"{AGGREGATORS}.{path}", **options).aggregate(_tensors(rows)).numpy()
        return bool(np.abs(answer - formula(rows)).max() > 0.1)

    what = f"{_written(path, options)} goes by a Gramian of raw rows: 1e9 away from 0, in float64, it chooses others"
    return Fault("ByzPy", member, what, shown)


def _median_of_nan() -> bool:
    rows = np.random.default_rng(0).normal(size=(11, 3))
    rows[4, 1] = np.nan
    answer = _made(f"{AGGREGATORS}.coordinate_wise.median.CoordinateWiseMedian").aggregate(_tensors(rows))
    return bool(np.isnan(answer.numpy()).any() and np.isfinite(ours("median")(rows)).all())


def _any_count() -> bool:
    """11 rows, 10 of them Byzantine: no rule can bear that."""
    rows = np.random.default_rng(0).normal(size=(11, 3))
    path = f"{AGGREGATORS}.coordinate_wise.mean_of_medians.MeanOfMedians"
    return bool(np.isfinite(_made(path, f=10).aggregate(_tensors(rows)).numpy()).all())


FAULTS = [
    Fault("ByzPy", "median", "one NaN in one of 11 rows makes CoordinateWiseMedian's answer NaN", _median_of_nan),
    _gramian_loses("geometric_wise.krum.Krum", "krum", Krum(byzantine=F - 1), f=F),
    _gramian_loses("geometric_wise.smea.SMEA", "smea", ours("smea"), f=F),
    Fault("ByzPy", "meamed", "MeanOfMedians(10) of 11 rows answers: a Byzantine majority is not refused", _any_count),
]
