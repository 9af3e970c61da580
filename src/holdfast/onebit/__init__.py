"""One-bit RSA: which side of the master a worker is on, its coin for ties, and the count of all bits."""

from holdfast.onebit.coin import BitReading, BreakTies, Coin, TakeSides, TallyBits
from holdfast.onebit.counter import Counter

__all__ = ["BitReading", "BreakTies", "Coin", "Counter", "TakeSides", "TallyBits"]
