"""RSA and robust rules for PyTorch loops of one's own. docs/torch.md shows the few lines that it takes."""

from holdfast.torch.roles import Anchored, Master
from holdfast.torch.tensor_rules import aggregate, all_gather, ddp_hook
