"""Defaults that depend on the rest of a spec, and what of a spec its method ignores."""

from dataclasses import replace
from os.path import isfile
from pathlib import Path

from holdfast.data import FILE_TYPES
from holdfast.engines.options import InProcess
from holdfast.experiments.spec import Spec
from holdfast.methods import AUTO
from holdfast.theory import steps

SCALE = {"digits": 16.0}
"""Digits have 16 grey levels: times 16 they span a byte, as MNIST's pixels do."""


def resolved(spec: Spec) -> Spec:
    """Return the spec with every `None` filled in; only the rate of a theorem's schedule stays open.

    What is `auto` stays so until the data are there (`holdfast.experiments.automatic`).

    >>> spec = resolved(Spec(method="rsa:messages=bits"))
    >>> spec.method.norm, spec.method.penalty, spec.rate, spec.scale
    (1.0, 'auto', 'auto', 1.0)
    """
    method, data = spec.method.resolved(), spec.data
    known = isinstance(data, str)
    file = known and Path(data).suffix in FILE_TYPES and isfile(data)
    return replace(
        spec,
        method=method,
        data=str(Path(data).resolve()) if file else data,
        rate=AUTO if spec.rate is None and spec.schedule not in steps.REGISTRY else spec.rate,
        scale=(SCALE.get(data, 1.0) if known else 1.0) if spec.scale is None else spec.scale,
        declared=spec.q if spec.declared is None else spec.declared,
    )


def canonical(spec: Spec) -> Spec:
    """Return the spec without what its method ignores: where nobody lies, no attack matters; no engine ever does."""
    spec = replace(spec, engine=InProcess())
    if spec.method.attacked or spec.method.participants == "honest":
        return spec
    return replace(spec, attack=None, byzantine=0, declared=0)
