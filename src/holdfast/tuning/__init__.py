"""The search for lambda, alpha and the norm on samples that the master holds back: `holdfast tune`."""

from holdfast.tuning.grid import candidates
from holdfast.tuning.halving import Rung, Trial, halve
from holdfast.tuning.validation import hold_out
