"""What is not collected where PyTorch is not installed: examples that need it."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("torch") else ["docs/torch.md", "src/holdfast/torch"]
