"""Distributed learning that holds when workers lie and their data differ."""

__version__ = "0.1.0"
