"""Runs: a spec, its parts, its folder, its result."""

from holdfast.experiments.run import Interrupted, Result, resume, run
from holdfast.experiments.spec import Spec

__all__ = ["Interrupted", "Result", "Spec", "resume", "run"]
