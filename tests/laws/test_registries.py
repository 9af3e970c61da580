"""Every member of every registry keeps the laws of its kind: a new line is tried by itself."""

import inspect
from collections.abc import Callable
from typing import Any, get_type_hints

import pytest

from holdfast import aggregators, attacks, methods, problems, stages
from holdfast.data import PARTITIONS
from holdfast.methods import tell
from holdfast.testing import (
    check_attack,
    check_method,
    check_partition,
    check_problem,
    check_rule,
    check_stage,
)

pytestmark = pytest.mark.usefixtures("tabled")

REQUIRED = {int: 1, float: 0.5}
"""What stands for an option without a default."""
EXAMPLES = 25
"""Inputs per law: drawing them takes the time, and with as many `make mutations` sees every small change."""


def made(member: Callable[..., Any]) -> Any:
    types = get_type_hints(member.__init__ if inspect.isclass(member) else member)
    needed = [each.name for each in inspect.signature(member).parameters.values() if each.default is each.empty]
    return member(**{name: REQUIRED[types[name]] for name in needed})


def every_told(registry: Any) -> pytest.MarkDecorator:
    """Members that are told that 1 or 3 rows may lie; one that asks for no count is the same twice."""
    parts = {tell(made(member), declared): name for name, member in registry.items() for declared in (1, 3)}
    return pytest.mark.parametrize("part", parts, ids=list(parts.values()))


def every(registry: Any) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("member", registry.values(), ids=list(registry))


@every_told(aggregators.REGISTRY)
def test_rules(part: Any) -> None:
    check_rule(part, examples=EXAMPLES)


@every_told(stages.REGISTRY)
def test_stages(part: Any) -> None:
    check_stage(part, examples=EXAMPLES)


@every(attacks.REGISTRY)
def test_attacks(member: Any) -> None:
    check_attack(made(member), examples=EXAMPLES)


@every({name: member for name, member in PARTITIONS.registry.items() if name != "assignment"})  # its file decides
def test_partitions(member: Any) -> None:
    check_partition(made(member), examples=EXAMPLES)


@every(problems.REGISTRY)
def test_problems(member: Any) -> None:
    check_problem(member, examples=EXAMPLES)


@pytest.mark.parametrize("name", [*methods.REGISTRY, *(f"{name}+median" for name in stages.REGISTRY)])
def test_methods(name: str) -> None:
    check_method(name)


@pytest.mark.parametrize(
    "options",
    ["norm=2", "norm=inf", "norm=3.5,penalty=0.7", "messages=bits", "ties=coin", "local_steps=3", "reply=updated"],
)
def test_rsa_with_its_options(options: str) -> None:
    check_method(f"rsa:{options}")
