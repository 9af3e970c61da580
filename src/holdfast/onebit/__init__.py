"""One-bit messages: which side of the master a worker is on, its coin for ties, and the count of all bits."""

from holdfast.onebit.coin import Coin
from holdfast.onebit.counter import Counter
from holdfast.onebit.encoders import BreakTies, Encoder, TakeSides, count_sides
