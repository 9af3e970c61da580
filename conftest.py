"""PyTorch where it is not installed, threads of BLAS, garbage, and Ctrl-C for tests in the background."""

import gc
import os
import signal
from importlib.util import find_spec

collect_ignore = [] if find_spec("torch") else ["docs/torch.md", "src/holdfast/torch", "tests/torch_models"]

# two test processes share two cores, and a matrix of 64 x 64 takes two threads four times the work of one
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# a background process ignores Ctrl-C, and so does all that it starts; tests of Ctrl-C need it
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

gc.disable()  # until the tests are collected: a search for garbage takes a second among thousands of them


def pytest_collection_finish() -> None:
    """Leave the tests themselves out of every search for garbage."""
    gc.collect()
    gc.freeze()
    gc.enable()
