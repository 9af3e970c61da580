from typing import Any

import numpy as np

from benchmarks.contestants.ways import Way
from benchmarks.inputs import Inputs
from holdfast import kernels
from holdfast.aggregators import GeometricMedian, Krum, Mean, Median, TrimmedMean
from holdfast.methods.penalties import L2, LInf


def _sides(given: Inputs, packed: Any) -> Any:
    """Our bytes are planar: bit j of byte b belongs to coordinate j * width + b."""
    m, width = packed.shape
    bits = np.unpackbits(packed, axis=1, bitorder="little").reshape(m, width, 8)
    return bits.transpose(0, 2, 1).reshape(m, -1)[:, : given.model.size]


RULES = {
    "mean": [Way(lambda given: Mean()(given.rows))],
    "sum of signs": [Way(lambda given: kernels.sign_sum(given.model, given.rows))],
    "l2 pull": [Way(lambda given: L2(1.0).pull(given.model, given.rows))],
    "l-infinity pull": [Way(lambda given: LInf(1.0).pull(given.model, given.rows))],
    "median": [Way(lambda given: Median()(given.rows))],
    "trimmed mean": [Way(lambda given: TrimmedMean(trim=given.byzantine)(given.rows))],
    "Krum": [Way(lambda given: Krum(byzantine=given.byzantine)(given.rows))],
    "geometric median": [Way(lambda given: GeometricMedian(tolerance=1e-7)(given.rows))],
    "packing bits": [Way(lambda given: kernels.pack_bits(given.model, given.rows, given.coins), read=_sides)],
    "counting bits": [Way(lambda given: kernels.count_bits(given.our_bits, given.model.size))],
}
