"""Distributed learning that holds when workers lie and their data differ."""

from holdfast import aggregators, attacks, data, engines, methods, problems, stages
from holdfast._version import __version__
from holdfast.data import load
from holdfast.errors import InvalidInput
from holdfast.experiments import Result, Spec, compare, resume, run, simulate

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
    "load",
    "methods",
    "problems",
    "resume",
    "run",
    "simulate",
    "stages",
]
