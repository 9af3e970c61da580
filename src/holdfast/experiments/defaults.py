"""Defaults that depend on the rest of a spec, and what of a spec its method ignores."""

from dataclasses import replace
from os.path import isfile
from pathlib import Path
from typing import Any, Literal

from holdfast.data import FILE_TYPES, REGISTRY, Dataset, Table
from holdfast.engines.options import InProcess
from holdfast.experiments.loading import loaded
from holdfast.experiments.spec import Spec
from holdfast.methods import AUTO
from holdfast.problems import guess
from holdfast.theory import steps

SCALE = {"digits": 16.0}
"""Digits have 16 grey levels: times 16 they span a byte, as MNIST's pixels do."""


OF_A_MODEL: dict[str, Any] = {"normalise": "mean-std", "augment": "none", "device": "cpu"}
"""What is said of the samples of a network."""


def resolved(spec: Spec) -> Spec:
    """Return the spec with every `None` filled in; only the rate of a theorem's schedule stays open.

    What is `auto` stays so until the data are there (`holdfast.experiments.automatic`).

    >>> spec = resolved(Spec(method="rsa:messages=bits"))
    >>> spec.method.norm, spec.method.penalty, spec.rate, spec.scale
    (1.0, 'auto', 'auto', 1.0)
    """
    method, data = spec.method.resolved(), _located(spec.data)
    return replace(
        spec,
        method=method,
        data=data,
        problem=_guessed(data) if spec.problem is None else spec.problem,
        rate=AUTO if spec.rate is None and spec.schedule not in steps.REGISTRY else spec.rate,
        scale=_scale(data) if spec.scale is None else spec.scale,
        l2=_l2(data) if spec.l2 is None else spec.l2,
        **({} if spec.model is None else {key: getattr(spec, key) or value for key, value in OF_A_MODEL.items()}),
        declared=spec.q if spec.declared is None else spec.declared,
    )


def _located(data: Any) -> Any:
    """Return data whose files are named by whole paths."""
    if isinstance(data, Table):
        return data.moved(lambda path: str(Path(path).resolve()))
    file = isinstance(data, str) and Path(data).suffix in FILE_TYPES and isfile(data)
    return str(Path(data).resolve()) if file else data


def _guessed(data: Any) -> str:
    """Return the problem that fits the target; the sets of ours all have classes, and are not loaded to tell."""
    return "softmax" if isinstance(data, str) and data in REGISTRY else guess(loaded(data)).name


def _scale(data: Any) -> float | Literal["standard"]:
    return "standard" if _tabular(data) else SCALE.get(data, 1.0) if isinstance(data, str) else 1.0


def _l2(data: Any) -> float:
    # on standardised features lambda is small, and the paper's 0.01 would keep RSA's model too short
    return 0.0 if _tabular(data) else 0.01


def _tabular(data: Any) -> bool:
    return isinstance(data, Table) or (isinstance(data, Dataset) and data.layout is not None)


def canonical(spec: Spec) -> Spec:
    """Return the spec without what its method ignores: where nobody lies, no attack matters; no engine ever does."""
    spec = replace(spec, engine=InProcess())
    if spec.method.attacked or spec.method.participants == "honest":
        return spec
    return replace(spec, attack=None, byzantine=0, declared=0)
