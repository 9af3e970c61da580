"""Engines: where the workers compute, in this process or elsewhere. No engine changes a number."""

from holdfast.engines.engine import Engine, Recorder, Spread, train
from holdfast.engines.engine_options import InProcess, Ray
from holdfast.engines.simulated import Simulated
from holdfast.engines.worker_group import Participation
