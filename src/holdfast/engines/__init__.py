"""Engines: everyone the master can reach, in this process or elsewhere."""

from holdfast.engines.options import InProcess, Ray
from holdfast.engines.participation import Participation
from holdfast.engines.protocol import Engine
from holdfast.engines.recorder import LastRound, Recorder
from holdfast.engines.simulated import Simulated

__all__ = ["Engine", "InProcess", "LastRound", "Participation", "Ray", "Recorder", "Simulated"]
