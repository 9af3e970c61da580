"""Any `torch.nn.Module` as a problem. Nothing here imports PyTorch before a module is made."""

from holdfast.problems.modules.gradient_ways import WAYS
from holdfast.problems.modules.networks import MODELS, REGISTRY
from holdfast.problems.modules.problem import ModuleProblem
