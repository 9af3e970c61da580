"""Engines: where the workers compute, in this process or elsewhere. None of them changes a number."""

from holdfast.engines.options import InProcess, Ray
from holdfast.engines.participation import Participation
from holdfast.engines.protocol import Engine, Spread
from holdfast.engines.recorder import Recorder
from holdfast.engines.simulated import Simulated
from holdfast.engines.training import train
