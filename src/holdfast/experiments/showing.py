"""How results show themselves in a notebook: with the tables and charts of the report.

The report stands above the experiments and knows them; they know it by name only, and look it up when somebody looks.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any


def shown(module: str, name: str) -> Callable[..., Any]:
    """Return a function of the report."""
    found: Callable[..., Any] = getattr(import_module(f"holdfast.report.{module}"), name)
    return found
