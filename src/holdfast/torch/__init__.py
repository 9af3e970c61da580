"""RSA and robust rules for PyTorch loops of your own. docs/torch.md shows examples."""

from holdfast.torch.roles import Anchored, Master
from holdfast.torch.tensor_rules import aggregate, all_gather, ddp_hook
