"""Specs whose method has other options, or that are ready to run."""

from dataclasses import replace
from typing import Any

from holdfast.experiments import Spec
from holdfast.experiments.automatic import resolve_auto
from holdfast.experiments.defaults import resolved


def with_options(spec: Spec, **options: Any) -> Spec:
    """Return the spec with these options of its method changed."""
    method: Any = spec.method  # a dataclass, as all of ours are
    return replace(spec, method=replace(method, **options))


def ready(spec: Spec) -> Spec:
    """Return the spec as a run has it, with all numbers."""
    return resolve_auto(resolved(spec))
