"""Specs whose method has other options, or that are ready to run."""

from dataclasses import replace
from typing import Any

from holdfast.runs.auto import resolve_auto
from holdfast.runs.plan import fill_defaults
from holdfast.runs.spec import Spec


def with_options(spec: Spec, **options: Any) -> Spec:
    """Return the spec with these options of its method changed."""
    method: Any = spec.method  # a dataclass, as all of ours are
    return replace(spec, method=replace(method, **options))


def ready(spec: Spec) -> Spec:
    """Return the spec as a run has it, with all numbers."""
    return resolve_auto(fill_defaults(spec))
