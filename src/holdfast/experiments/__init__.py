"""Runs: a spec, its parts, its folder, its result."""

from holdfast.experiments.comparison import compare, grid
from holdfast.experiments.result import Result
from holdfast.experiments.run import resume, run, simulate
from holdfast.experiments.spec import Spec
from holdfast.experiments.watching import Interrupted
