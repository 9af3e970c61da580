"""What is not collected where PyTorch is not installed, and Ctrl-C for tests that a shell started in the background."""

import signal
from importlib.util import find_spec

collect_ignore = [] if find_spec("torch") else ["docs/torch.md", "src/holdfast/torch", "tests/torch_models"]

# a background process ignores Ctrl-C, and so does all that it starts; tests of Ctrl-C need it
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
