"""Engines: everyone the master can reach, in this process or elsewhere."""

from holdfast.engines.simulated import Simulated

__all__ = ["Simulated"]
