"""Any `torch.nn.Module` as a problem. Nothing here imports PyTorch before a module is made."""

from holdfast.problems.modules.networks import MODELS, REGISTRY
from holdfast.problems.modules.problem import ModuleProblem
from holdfast.problems.modules.ways import WAYS
