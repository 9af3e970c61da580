"""Between processes of `torch.distributed`."""

from collections.abc import Callable
from typing import Any

from holdfast.aggregators import CoordinateWise
from holdfast.errors import InvalidInput
from holdfast.problems.modules.library import library
from holdfast.torch.aggregating import rule_of

torch = library()


def all_gather(vector: Any, group: Any = None) -> Any:
    """Return every process's vector, one row each, in the order of their ranks."""
    rows = vector.new_empty((torch.distributed.get_world_size(group), len(vector)))
    torch.distributed.all_gather(list(rows), vector.contiguous(), group)
    return rows


def ddp_hook(rule: Any, *, byzantine: int = 0) -> Callable[[Any, Any], Any]:
    """Return a communication hook for DistributedDataParallel that aggregates gradients by a coordinate-wise rule.

        model.register_comm_hook(None, holdfast.torch.ddp_hook("trimmed-mean", byzantine=1))

    DDP sends gradients in buckets, each a part of the model, which change after the first iteration. Only a rule that
    goes by coordinates gives the same on buckets as on whole gradients; others are refused. The state of the hook is
    the group of processes, or None for all.
    """
    made = rule_of(rule, byzantine)
    if not isinstance(made, CoordinateWise):
        raise InvalidInput(
            "a hook of DDP needs a coordinate-wise rule such as median: each bucket holds part of a model, and others "
            f"judge whole ones (use all_gather, then aggregate); got {made}"
        )

    def hook(group: Any, bucket: Any) -> Any:
        future = torch.futures.Future()
        future.set_result(made(all_gather(bucket.buffer(), group)))
        return future

    hook.__annotations__.clear()  # DDP refuses any but its own
    return hook
