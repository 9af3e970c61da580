"""Defaults that depend on the rest of a spec, and what of a spec its method ignores."""

from dataclasses import replace
from os.path import isfile
from pathlib import Path
from typing import Any

from holdfast.data import FILE_TYPES
from holdfast.engines.options import InProcess
from holdfast.experiments.spec import Spec
from holdfast.theory import steps

SCALE = {"digits": 16.0}
"""Digits have 16 grey levels: times 16 they span a byte, where the paper's lambda and alpha are at home."""


OF_A_MODEL: dict[str, Any] = {"normalise": "mean-std", "augment": "none", "device": "cpu"}
"""What is said of the samples of a network."""


def resolved(spec: Spec) -> Spec:
    """Return the spec with every `None` filled in; only the rate of a theorem's schedule stays open.

    >>> spec = resolved(Spec(method="rsa:norm=2"))
    >>> round(spec.method.penalty, 3), spec.rate, spec.scale
    (1.183, 0.001, 1.0)
    """
    method, data = spec.method.resolved(), spec.data
    known = isinstance(data, str)
    file = known and Path(data).suffix in FILE_TYPES and isfile(data)
    return replace(
        spec,
        method=method,
        data=str(Path(data).resolve()) if file else data,
        rate=method.default_rate if spec.rate is None and spec.schedule not in steps.REGISTRY else spec.rate,
        scale=(SCALE.get(data, 1.0) if known else 1.0) if spec.scale is None else spec.scale,
        **({} if spec.model is None else {key: getattr(spec, key) or value for key, value in OF_A_MODEL.items()}),
        declared=spec.q if spec.declared is None else spec.declared,
    )


def canonical(spec: Spec) -> Spec:
    """Return the spec without what its method ignores: where nobody lies, no attack matters; no engine ever does."""
    spec = replace(spec, engine=InProcess())
    if spec.method.attacked or spec.method.participants == "honest":
        return spec
    return replace(spec, attack=None, byzantine=0, declared=0)
