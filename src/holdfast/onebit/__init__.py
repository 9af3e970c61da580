"""One-bit RSA: which side of the master a worker is on, its coin for ties, the count of bits and their weighted sum."""

from holdfast.onebit.coin import BitReading, BreakTies, Coin, TakeSides, TallyBits
from holdfast.onebit.counter import Counter
from holdfast.onebit.weighing import weighted_signs

__all__ = ["BitReading", "BreakTies", "Coin", "Counter", "TakeSides", "TallyBits", "weighted_signs"]
