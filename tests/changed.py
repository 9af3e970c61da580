"""Specs whose method has other options."""

from dataclasses import replace
from typing import Any

from holdfast.experiments import Spec


def with_options(spec: Spec, **options: Any) -> Spec:
    """Return the spec with these options of its method changed."""
    method: Any = spec.method  # a dataclass, as all of ours are
    return replace(spec, method=replace(method, **options))
