"""Distributed learning that holds when workers lie and their data differ."""

from holdfast._version import __version__
from holdfast.aggregators import GeometricMedian, Krum, Mean, Median, TrimmedMean
from holdfast.data import ByLabel, Dirichlet, Iid, load
from holdfast.engines import Simulated
from holdfast.engines.training import train
from holdfast.errors import InvalidInput
from holdfast.experiments import Result, Spec, resume, run
from holdfast.methods import robust_sgd, rsa
from holdfast.methods.penalties import L1, L2, LInf, Lp
from holdfast.methods.priors import Ridge
from holdfast.methods.schedules import Constant, Inverse, InverseSqrt
from holdfast.problems import LeastSquares, Logistic, Shards, Softmax

__all__ = [
    "L1",
    "L2",
    "ByLabel",
    "Constant",
    "Dirichlet",
    "GeometricMedian",
    "Iid",
    "InvalidInput",
    "Inverse",
    "InverseSqrt",
    "Krum",
    "LInf",
    "LeastSquares",
    "Logistic",
    "Lp",
    "Mean",
    "Median",
    "Result",
    "Ridge",
    "Shards",
    "Simulated",
    "Softmax",
    "Spec",
    "TrimmedMean",
    "load",
    "resume",
    "robust_sgd",
    "rsa",
    "run",
    "train",
]
