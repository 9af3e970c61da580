"""Methods by name: ours, every rule on gradients, and stages before a rule: `nnm+trimmed-mean`."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from holdfast import aggregators, stages
from holdfast.aggregators import Mean, Rule
from holdfast.errors import InvalidInput
from holdfast.methods.admm import RsaAdmm
from holdfast.methods.aggregated import Aggregated, IdealSgd
from holdfast.methods.method import Method
from holdfast.methods.rsa import IdealRsa, Rsa
from holdfast.methods.watchful import WatchfulRsa
from holdfast.naming import Family, options_of
from holdfast.typing import Json

REGISTRY: dict[str, type[Method] | type[Rule]] = {
    "rsa": Rsa,
    "watchful-rsa": WatchfulRsa,
    "ideal-rsa": IdealRsa,
    "rsa-admm": RsaAdmm,
    "ideal-sgd": IdealSgd,
    "sgd": Mean,  # what the paper calls SGD is the method of the plain mean
    **{name: rule for name, rule in aggregators.REGISTRY.items() if rule is not Mean},
}
"""Every rule on gradients is a method of the same name."""
METHODS: Family[Any] = Family("method", REGISTRY)
RULES: Family[Any] = Family("method", {**REGISTRY, **aggregators.REGISTRY})
STAGES: Family[Any] = Family("stage", stages.REGISTRY)
_PLUS = r"\+(?=[A-Za-z_])"
"""Between stages and rule; a plus sign may also stand in a number, as in 1e+5."""


DEFAULT = "bound+watch:near=0.1,apart=2+mean"
"""The method where none is given: the best by worst case over data sets, partitions and attacks (docs/default.md)."""


def make_method(given: Any) -> Method:
    """Return the method that is given as a text, a table or an object; a rule is one too.

    >>> make_method("rsa:norm=1").norm, make_method("krum:byzantine=3")
    (1.0, Aggregated(rule=Krum(byzantine=3), stages=()))
    """
    before: Sequence[Any] = ()
    if isinstance(given, str):
        *before, given = re.split(_PLUS, given)
    elif isinstance(given, Mapping):
        given = dict(given)
        before = given.pop("stages", ())
        before = re.split(_PLUS, before) if isinstance(before, str) else before
    made = RULES.make(given)
    if isinstance(made, Method):
        if before:
            raise InvalidInput(f"stages come before a rule on gradients; got {RULES.name(made)} after them")
        return made
    if not callable(made):
        raise InvalidInput(f"a method must be a Method, or a rule: something to call with rows; got {made!r}")
    made_before = tuple(STAGES.make(each) for each in before)
    for stage in made_before:
        if not callable(stage):
            raise InvalidInput(f"a stage must be something to call with what was received; got {stage!r}")
    return Aggregated(made, made_before)


def method_name(method: Method) -> str:
    """Return a method's name without options.

    >>> method_name(make_method("krum:byzantine=3"))
    'krum'
    """
    if type(method) is not Aggregated:
        return METHODS.name(method)
    return "+".join([*map(STAGES.name, method.stages), _rules(method).name(method.rule)])


def method_text(method: Method, full: bool = False) -> str:
    """Return a method as it is written on a command line."""
    if type(method) is not Aggregated:
        return METHODS.text(method, full)
    before = (STAGES.text(stage, full) for stage in method.stages)
    return "+".join([*before, _rules(method).text(method.rule, full)])


def method_table(method: Method) -> Json:
    """Return a method as it is written in TOML."""
    if type(method) is not Aggregated:
        return METHODS.table(method)
    table = _rules(method).table(method.rule)
    return table | ({"stages": [STAGES.table(stage) for stage in method.stages]} if method.stages else {})


def _rules(method: Aggregated) -> Family[Any]:
    """Return where the rule has its name: behind stages the mean is the mean."""
    return Family("method", aggregators.REGISTRY) if method.stages else METHODS


def method_labels(methods: Iterable[Method]) -> dict[Method, str]:
    """Return a label for each different method: its name, and where that occurs twice the options that differ.

    >>> list(method_labels([make_method("rsa"), make_method("rsa:norm=1"), make_method("median")]).values())
    ['rsa:norm=2', 'rsa:norm=1', 'median']
    """
    different = list(dict.fromkeys(methods))
    by_name: dict[str, list[Method]] = {}
    for method in different:
        by_name.setdefault(method_name(method), []).append(method)
    labels = {method: label for name, same in by_name.items() for method, label in _distinguish(name, same)}
    return {method: labels[method] for method in different}


def _distinguish(name: str, methods: list[Method]) -> Iterator[tuple[Method, str]]:
    tables = [_flat_options(method) for method in methods]
    differing = [
        key for key in {key: None for table in tables for key in table} if len({t.get(key) for t in tables}) > 1
    ]
    for method, table in zip(methods, tables, strict=True):
        options = ",".join(f"{key}={_short(table[key])}" for key in differing if key in table)
        yield method, f"{name}:{options}" if options else name


def _flat_options(method: Method) -> Json:
    return {key: value for part in method.parts for key, value in options_of(part, full=True).items()}


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
