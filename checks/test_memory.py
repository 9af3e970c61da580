"""The master of one-bit RSA holds counts, not models: 100 workers of 100 million coordinates in less than 2 GB.

A process of its own, since what is measured is the most that a process ever held.
"""

import resource
import subprocess
import sys

import numpy as np

from holdfast import kernels
from holdfast.engines import wire
from holdfast.methods import InverseSqrt, Ridge, Rsa, Setting
from holdfast.onebit import Counter
from holdfast.typing import Messages

WORKERS, DIMENSION = 100, 100_000_000


def test_100_workers_of_100_million_coordinates_take_less_than_2_gb() -> None:
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=True)
    peak = int(done.stdout)
    print(f"peak {peak / 1e9:.2f} GB; 100 full models would be {4e-9 * WORKERS * DIMENSION:.0f} GB")
    assert peak < 2e9


def main() -> None:
    """Count the messages as they arrive, a frame each; step, and write the next broadcast."""
    program = Rsa(norm=1.0, penalty=0.07, messages="bits").program(Setting(InverseSqrt(0.001), Ridge(0.01)))
    state = program.init(np.zeros(DIMENSION, np.float32))
    counter = Counter(DIMENSION, capacity=WORKERS)
    for worker in range(WORKERS):
        bits = np.random.default_rng(worker).integers(0, 256, (1, kernels.bit_width(DIMENSION)), np.uint8)
        frame = wire.decode(wire.sides(bits, DIMENSION, round=0), DIMENSION)
        counter.add(wire.sides_of(frame))
    tally = counter.tally()
    assert 20 < tally.ones.min() <= tally.ones.max() < 80  # 100 fair coins, 6 standard deviations
    state = program.step(state, Messages(tally, np.arange(1, WORKERS + 1), 0))
    assert np.isfinite(state.model).all()
    wire.tally(tally, 0)
    print(1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


if __name__ == "__main__":
    main()
