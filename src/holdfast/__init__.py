"""Distributed learning that holds when workers lie and their data differ."""

from holdfast.aggregators import GeometricMedian, Krum, Mean, Median, TrimmedMean
from holdfast.data import ByLabel, Dirichlet, Iid, load
from holdfast.errors import InvalidInput
from holdfast.experiments import Result, Spec, resume, run
from holdfast.fleets import Simulated
from holdfast.methods import robust_sgd, rsa
from holdfast.penalties import L1, L2, LInf, Lp
from holdfast.priors import Ridge
from holdfast.problems import LeastSquares, Logistic, Shards, Softmax
from holdfast.schedules import Constant, Inverse, InverseSqrt
from holdfast.training import train

__version__ = "0.1.0"

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
