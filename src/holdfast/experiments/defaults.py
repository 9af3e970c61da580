"""Defaults that depend on the rest of a spec."""

from dataclasses import replace
from pathlib import Path

from holdfast.experiments.spec import AUTO, Spec
from holdfast.theory import steps

PENALTY = {"l1": 0.07, "linf": 20.0}
"""The paper's lambda under attack; its 1.2 for l2 lies on the geometric line between them."""
RATE = {"l2": 0.001, "linf": 0.0001}
"""The paper's alpha of RSA; l1 has that of l2."""
GRADIENT_RATE = 0.0001
"""A step size at which every rule on gradients learns MNIST; the paper tunes it by hand for each figure."""
SCALE = {"digits": 16.0}
"""Digits have 16 grey levels: times 16 they span a byte, where the paper's lambda and alpha are at home."""


def resolved(spec: Spec) -> Spec:
    """Return the spec with every `None` filled in; only the rate of a theorem's schedule stays open.

    >>> spec = resolved(Spec(norm=2.0))
    >>> round(spec.penalty, 3), spec.rate, spec.scale
    (1.183, 0.001, 1.0)
    """
    if spec.penalty == AUTO and not spec.recipe.penalised:
        spec = replace(spec, penalty=None)  # as a number would be, it is for the other methods of a comparison
    return replace(
        spec,
        data=str(Path(spec.data).resolve()) if Path(spec.data).is_file() else spec.data,
        penalty=_penalty(spec.norm) if spec.penalty is None else spec.penalty,
        rate=_rate(spec) if spec.rate is None else spec.rate,
        ties=("coin" if spec.messages == "bits" else "zero") if spec.ties is None else spec.ties,
        scale=SCALE.get(spec.data, 1.0) if spec.scale is None else spec.scale,
        declared=spec.byzantine if spec.declared is None else spec.declared,
        liars=_last(spec) if spec.liars is None else spec.liars,
    )


def _penalty(p: float) -> float:
    """Interpolate geometrically in 1/p between l1 and l-infinity."""
    return float(PENALTY["linf"] * (PENALTY["l1"] / PENALTY["linf"]) ** (1 / p))


def _rate(spec: Spec) -> float | None:
    """Interpolate geometrically in 1/p between l2 and l-infinity; a theorem's step size comes from the losses."""
    if spec.schedule in steps.REGISTRY:
        return None
    if not spec.recipe.penalised:
        return GRADIENT_RATE
    return float(RATE["linf"] * (RATE["l2"] / RATE["linf"]) ** min(2 / spec.norm, 1.0))


def _last(spec: Spec) -> tuple[int, ...]:
    return tuple(range(spec.workers - spec.byzantine + 1, spec.workers + 1))
