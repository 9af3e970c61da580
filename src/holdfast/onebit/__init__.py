"""One-bit RSA: which side of the master a worker is on, its coin for ties, and the count of all bits."""

from holdfast.onebit.coin import BreakTies, Coin, TallyBits
from holdfast.onebit.counter import Counter

__all__ = ["BreakTies", "Coin", "Counter", "TallyBits"]
