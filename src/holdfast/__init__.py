"""Distributed learning that holds when workers lie and their data differ."""

from holdfast._version import __version__

__all__ = ["__version__"]
