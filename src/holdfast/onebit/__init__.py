"""One-bit messages: which side of the master a worker is on, its coin for ties, and the count of all bits."""

from holdfast.onebit.counts import Counter
from holdfast.onebit.encoders import BreakTies, Coin, Encoder, TakeSides, count_sides
