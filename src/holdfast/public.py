"""What `import holdfast as hf` offers; loaded when the first of it is asked for."""

from holdfast import aggregators, attacks, data, engines, methods, problems, stages
from holdfast._version import __version__
from holdfast.data import load
from holdfast.errors import InvalidInput
from holdfast.experiments import Result, Spec, compare, grid, resume, run, simulate

__all__ = [
    "InvalidInput",
    "Result",
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
