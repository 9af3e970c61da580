"""Robust rules on what workers' modules hold: parameters, gradients or whole state dicts."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from holdfast.arrays import checked, like
from holdfast.errors import InvalidInput
from holdfast.methods import Aggregated, Program, make_method, tell
from holdfast.problems.modules.library import library
from holdfast.typing import Messages

torch = library()


def aggregate(parameters_of_workers: Sequence[Any], rule: Any, *, byzantine: int = 0) -> Any:
    """Return what a rule makes of the workers' tensors: a list of tensors, or a dict where dicts were given.

    Each worker's are a list of tensors (parameters, or their gradients), or a dict of them, all workers' alike. The
    rule, behind stages where it has any, sees each worker's as one row, so that it judges the whole of it. `byzantine`
    is how many it is told that lie. Parts that remember or draw do so as in their first round: use a `Master` for them.

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


def _tensors(given: Any) -> Iterable[Any]:
    return given.values() if isinstance(given, Mapping) else given


def rule_of(rule: Any, byzantine: int) -> Any:
    """Return what makes one vector of rows, told how many lie: a rule, or one of the names that `--method` takes."""
    if not isinstance(rule, str):
        return tell(rule, byzantine)
    method = make_method(rule)
    if not isinstance(method, Aggregated):
        raise InvalidInput(f"a rule on rows is needed, such as median or nnm+krum; got {rule}")
    return partial(_play, method.on_rows(byzantine)) if method.stages else tell(method.rule, byzantine)


def _play(program: Program, rows: Any) -> Any:
    messages = Messages.of(checked("a rule", rows))
    return like(rows, program.direction(program.init(messages.model), messages)[0])
