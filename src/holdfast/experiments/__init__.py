"""Runs: a spec, its parts, its folder, its result."""

from holdfast.experiments.run import Result, resume, run
from holdfast.experiments.spec import Spec
from holdfast.experiments.watching import Interrupted

__all__ = ["Interrupted", "Result", "Spec", "resume", "run"]
