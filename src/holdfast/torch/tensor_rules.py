"""Robust rules on workers' tensors: parameters, gradients or state dicts, in one process or between several."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from holdfast.aggregators import CoordinateWise
from holdfast.arrays import check_rows, like
from holdfast.errors import InvalidInput
from holdfast.methods import Aggregated, Program, make_method, tell
from holdfast.problems.modules.pytorch import Tensor, library
from holdfast.typing import Messages

torch = library()


def aggregate(parameters_of_workers: Sequence[Any], rule: Any, *, byzantine: int = 0) -> Any:
    """Return what a rule makes of the workers' tensors: a list of tensors, or a dict where dicts were given.

    A worker has a list of tensors (parameters, or their gradients) or a dict of them, all workers alike. The rule,
    behind its stages if any, sees all tensors of a worker as one row. `byzantine` is the declared number of Byzantine
    workers. Parts with memory or random draws act as in their first round: use a `Master` for them.

    >>> workers = [[torch.tensor([1.0, 2.0]), torch.tensor([[3.0]])], [torch.zeros(2), torch.ones(1, 1)]]
    >>> aggregate([*workers, [torch.full((2,), 99.0), torch.full((1, 1), -99.0)]], "median")
    [tensor([1., 2.]), tensor([[1.]])]
    """
    lists = [list(_tensors(each)) for each in parameters_of_workers]
    if not lists or any([each.shape for each in some] != [each.shape for each in lists[0]] for some in lists):
        raise InvalidInput(f"workers must have tensors of the same shapes; got {len(lists)} workers that differ")
    rows = torch.stack([torch.cat([each.detach().reshape(-1) for each in some]) for some in lists])
    vector, at, found = rule_of(rule, byzantine)(rows), 0, []
    for each in lists[0]:
        found.append(vector[at : at + each.numel()].view(each.shape))
        at += each.numel()
    first = parameters_of_workers[0]
    return dict(zip(first, found, strict=True)) if isinstance(first, Mapping) else found


def _tensors(given: Any) -> Iterable[Tensor]:
    return given.values() if isinstance(given, Mapping) else given


def rule_of(rule: Any, byzantine: int) -> Any:
    """Return a function from rows to one vector, with this declared number: a rule, or what a `--method` name means."""
    if not isinstance(rule, str):
        return tell(rule, byzantine)
    method = make_method(rule)
    if not isinstance(method, Aggregated):
        raise InvalidInput(f"a rule on rows is needed, such as median or nnm+krum; got {rule}")
    return partial(_play, method.on_rows(byzantine)) if method.stages else tell(method.rule, byzantine)


def _play(program: Program, rows: Tensor) -> Tensor:
    messages = Messages.of(check_rows("a rule", rows))
    return like(rows, program.direction(program.init(messages.model), messages)[0])


def all_gather(vector: Tensor, group: Any = None) -> Tensor:
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

    hook.__annotations__.clear()  # DDP refuses annotations other than its own
    return hook
