"""RSA and robust rules for PyTorch loops of one's own. docs/torch.md shows the few lines that it takes."""

from holdfast.torch.aggregating import aggregate
from holdfast.torch.distributed import all_gather, ddp_hook
from holdfast.torch.master import Master
from holdfast.torch.optimizer import Anchored
