"""What `import holdfast as hf` offers; loaded when the first of it is asked for."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from holdfast import aggregators, attacks, data, engines, methods, problems, stages
from holdfast._version import __version__
from holdfast.data import load
from holdfast.errors import GuessingWarning, InvalidInput
from holdfast.runs.records import Result
from holdfast.runs.runner import resume, run, simulate
from holdfast.runs.spec import Spec
from holdfast.studies.comparison import compare
from holdfast.studies.study import grid

ESTIMATORS = ("RobustClassifier", "RobustRegressor")
if TYPE_CHECKING:
    from holdfast.estimators import RobustClassifier, RobustRegressor


def __getattr__(name: str) -> Any:
    """Import the estimators when they are asked for: scikit-learn takes a second."""
    if name in ESTIMATORS:
        return getattr(import_module("holdfast.estimators"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "GuessingWarning",
    "InvalidInput",
    "Result",
    "RobustClassifier",
    "RobustRegressor",
    "Spec",
    "__version__",
    "aggregators",
    "attacks",
    "compare",
    "data",
    "engines",
    "grid",
    "load",
    "methods",
    "problems",
    "resume",
    "run",
    "simulate",
    "stages",
]
