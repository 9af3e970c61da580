"""The kinds of parts: how each is recognised, made from a text, and checked."""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from holdfast import aggregators, stages
from holdfast.attacks import ATTACKS, ColludingAttack, LocalAttack
from holdfast.data import PARTITIONS, Partition
from holdfast.errors import InvalidInput
from holdfast.methods import PENALTIES, Method, Penalty, make_method
from holdfast.methods import REGISTRY as METHODS
from holdfast.naming import Family
from holdfast.problems import PROBLEMS
from holdfast.stages import Stage
from holdfast.testing.attack_laws import check_attack
from holdfast.testing.method_laws import check_method
from holdfast.testing.outcomes import Report
from holdfast.testing.partition_laws import check_partition
from holdfast.testing.penalty_laws import check_penalty
from holdfast.testing.problem_laws import check_problem
from holdfast.testing.rule_laws import check_rule
from holdfast.testing.stage_laws import check_stage


@dataclass(frozen=True)
class Kind:
    """A kind of part: how it is recognised, made from a text, and checked."""

    is_one: Callable[[type], bool]
    """Whether instances of a class are of this kind."""
    names: tuple[str, ...]
    """The parts of this kind that have a name."""
    make: Callable[[str], Any]
    check: Callable[..., Report]


def _derives_from(*bases: type) -> Callable[[type], bool]:
    return lambda cls: issubclass(cls, bases)


def _kind(bases: tuple[type, ...], family: Family[Any], check: Callable[..., Report]) -> Kind:
    return Kind(_derives_from(*bases), tuple(family.registry), family.make, check)


RULES: Family[Any] = Family("rule", aggregators.REGISTRY)

KINDS: dict[str, Kind] = {
    "stage": _kind((Stage,), Family("stage", stages.REGISTRY), check_stage),
    "attack": _kind((LocalAttack, ColludingAttack), ATTACKS, check_attack),
    "penalty": _kind((Penalty,), PENALTIES, check_penalty),
    "partition": _kind((Partition,), PARTITIONS, check_partition),
    # the method of a rule has its name: what is checked under it is the rule
    "method": Kind(
        _derives_from(Method), tuple(name for name in METHODS if name not in RULES.registry), make_method, check_method
    ),
    "problem": Kind(
        lambda cls: all(hasattr(cls, name) for name in ("start", "oracle", "objective", "evaluate")),
        tuple(PROBLEMS.registry),
        PROBLEMS.make,
        check_problem,
    ),
    "rule": Kind(lambda cls: "__call__" in dir(cls), tuple(RULES.registry), RULES.make, check_rule),
}
"""The kind of a part is the first that fits: a rule is anything to call."""


def kind_of(part: object) -> str:
    """Return the kind of a part, or of what a class makes; a function is a rule.

    >>> from holdfast.aggregators import Krum
    >>> kind_of(Krum), kind_of(sum)
    ('rule', 'rule')
    """
    cls = part if inspect.isclass(part) else type(part)
    found = next((name for name, kind in KINDS.items() if kind.is_one(cls)), None)
    if found is None:
        raise InvalidInput(f"a part to check must be one of {', '.join(KINDS)}; got {part!r}")
    return found


def check(part: Any, **options: Any) -> Report:
    """Test a part against the laws of its kind; the options are those of `check_rule` and so on.

    >>> check("krum", examples=10).holds
    True
    """
    if isinstance(part, str):
        kind, made = make_named(part)
    else:
        kind = kind_of(part)
        made = part() if inspect.isclass(part) and kind != "problem" else part
    return KINDS[kind].check(made, **options)


def make_named(text: str, kind: str | None = None) -> tuple[str, Any]:
    """Return the kind and the part of `name:key=value,...` or `package.module:Name:key=value,...`.

    >>> make_named("sign-flip:factor=-2")
    ('attack', SignFlip(factor=-2.0))
    """
    found = kind or _kind_of_text(text)
    return found, KINDS[found].make(text)


def _kind_of_text(text: str) -> str:
    if re.search(r"\+(?=[A-Za-z_])", text):
        return "method"  # stages before a rule
    name, _, rest = text.partition(":")
    fitting = [kind for kind, about in KINDS.items() if name in about.names]
    if len(fitting) > 1:
        raise InvalidInput(f"{name!r} must be one kind of part, say which; got {', '.join(fitting)}")
    if fitting:
        return fitting[0]
    known = {name: name for about in KINDS.values() for name in about.names}
    outside = ":".join([name, *filter(None, [rest.partition(":")[0]])])
    part: Any = Family("part", known, makes=lambda found: False).make(outside)  # type: ignore[arg-type]
    return kind_of(part)
