"""Torch tensors in, torch tensors out, for every rule; torch itself is not needed by anything."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from twins import assert_same, ordinary

from holdfast.aggregators import REGISTRY
from holdfast.errors import InvalidInput
from holdfast.methods import tell
from holdfast.methods.penalties import penalty

torch = pytest.importorskip("torch")

Rule = Callable[[Any], Any]
RULES: dict[str, Rule] = {name: tell(rule(), 1) for name, rule in REGISTRY.items()}
every_rule = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
every_type = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@every_rule
@every_type
def test_a_tensor_gives_the_tensor_of_what_the_array_gives(rule: Rule, dtype: type) -> None:
    rows = ordinary(7, 70, dtype)
    tensor = torch.from_numpy(rows.copy())
    result = rule(tensor)
    assert isinstance(result, torch.Tensor)
    assert (result.dtype, result.device) == (tensor.dtype, tensor.device)
    assert_same(result.numpy(), rule(rows))
    assert_same(tensor.numpy(), rows)


@every_rule
def test_tensors_in_any_layout_with_or_without_gradients(rule: Rule) -> None:
    rows = ordinary(7, 70, np.float32)
    for tensor in (
        torch.from_numpy(rows.T.copy()).T,
        torch.from_numpy(np.repeat(rows, 2, axis=1))[:, ::2],
        torch.from_numpy(rows.copy()).requires_grad_(),
        torch.nn.Parameter(torch.from_numpy(rows.copy())),
    ):
        result = rule(tensor)
        assert not result.requires_grad
        assert_same(result.numpy(), rule(rows))


@every_rule
def test_tensors_of_other_numbers(rule: Rule) -> None:
    """What float64 holds exactly is converted, as arrays are; what NumPy does not know is refused in one line."""
    whole = torch.arange(14).reshape(7, 2).to(torch.int32)
    assert rule(whole).dtype == torch.float64
    assert_same(rule(whole).numpy(), rule(whole.numpy()))
    with pytest.raises(InvalidInput, match="needs rows of shape") as refusal:
        rule(whole.to(torch.bfloat16))
    assert "\n" not in str(refusal.value)


@every_rule
def test_the_shape_of_a_tensor_is_checked(rule: Rule) -> None:
    with pytest.raises(InvalidInput, match="got shape \\(3,\\)"):
        rule(torch.ones(3))


@pytest.mark.parametrize("p", [1, 2, 3, np.inf])
def test_penalties_take_tensors(p: float) -> None:
    rows = np.random.default_rng(0).normal(size=(4, 5)).astype(np.float32)
    model = np.ones(5, np.float32)
    pull: Any = penalty(p, 0.5)
    tensor = torch.from_numpy(rows).requires_grad_()
    assert_same(pull.subgradient(tensor).numpy(), pull.subgradient(rows))
    assert_same(pull.subgradient(tensor[0]).numpy(), pull.subgradient(rows[0]))
    assert_same(pull.pull(torch.from_numpy(model), tensor).numpy(), pull.pull(model, rows))
