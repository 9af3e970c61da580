"""What was inferred or found for the user: said before anything is computed with it."""

import shlex
from collections.abc import Iterable, Sequence
from typing import Any

from holdfast.cli.reporter import Reporter
from holdfast.cli.spec_flags import format_flag, format_value
from holdfast.methods import DEFAULT, Method, make_method, method_labels, method_text
from holdfast.runs.auto import is_auto
from holdfast.runs.plan import Plan, fill_defaults, list_inferences, make_plan
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import data_text, require_number

EVIDENCE = "on average within 0.01 of the best rule on 23 tables, attacked or not (docs/default.md)"
"""Why the default is the default, in short."""


def announce_inferences(reporter: Reporter, asked: Iterable[Spec]) -> None:
    """Say what the data decided, each thing once."""
    _say_inferences(reporter, ((spec, fill_defaults(spec)) for spec in asked))


def _say_inferences(reporter: Reporter, pairs: Iterable[tuple[Spec, Spec]]) -> None:
    for line in dict.fromkeys(line for asked, filled in pairs for line in list_inferences(asked, filled)):
        reporter.inform(line)


def _say_momentum(reporter: Reporter, pairs: Iterable[tuple[Spec, Spec]]) -> None:
    """Say which methods have a momentum by default."""
    momenta: dict[float, list[str]] = {}
    for asked, filled in pairs:
        if asked.momentum is None and filled.momentum:
            momenta.setdefault(filled.momentum, []).append(asked.method_name)
    for momentum, names in momenta.items():
        rules = ", ".join(dict.fromkeys(names))
        reporter.inform(f"momentum: {momentum:g} for {rules}, the default of rules on gradients (--momentum 0 is none)")


def announce_run(reporter: Reporter, asked: Spec) -> Plan:
    """Return the plan of a run; say first what will be run."""
    byzantine = f"{asked.q} of them Byzantine (attack {asked.attack_text})" if asked.q else "none of them Byzantine"
    about = f"{method_text(asked.method)} on {data_text(asked.data)}, {asked.partition_text}"
    return announce_plan(reporter, asked, f"{about}: {asked.workers} workers, {byzantine}, {asked.rounds} rounds")


def announce_plan(reporter: Reporter, asked: Spec, *first: str) -> Plan:
    """Return the plan of a spec; say `first` once it can work, what the data decided, and the numbers by rule."""
    auto = False

    def announce(filled: Spec) -> None:
        nonlocal auto
        auto = is_auto(filled)
        for line in first:
            reporter.inform(line)
        _say_inferences(reporter, [(asked, filled)])
        if asked.method == make_method(DEFAULT):
            reporter.inform(f"method: the default, {EVIDENCE}")
        _say_momentum(reporter, [(asked, filled)])

    plan = make_plan(asked, checked=announce)
    if auto:
        penalty = plan.spec.method.penalty
        method = asked.method if penalty is None else asked.method.with_penalty(require_number(penalty))
        options = {"method": method, "rate": plan.spec.rate}
        flags = [word for name, value in options.items() for word in (format_flag(name), format_value(name, value))]
        reporter.inform(f"auto: {shlex.join(flags)}")
    return plan


def announce_numbers(reporter: Reporter, asked: Sequence[Spec], ready: Sequence[Spec]) -> None:
    """Say which numbers the rule found for many runs: one line per method, from the least to the largest."""
    _say_momentum(reporter, zip(asked, ready, strict=True))
    found: dict[Method, list[Spec]] = {}
    for spec, numbered in zip(asked, ready, strict=True):
        if is_auto(fill_defaults(spec)):
            found.setdefault(spec.method, []).append(numbered)
    labels = method_labels(spec.method for spec in asked)
    for method, specs in found.items():
        penalties = [each for spec in specs if (each := spec.method.penalty) is not None]
        numbers = [f"lambda {_format_span(penalties)}"] if penalties else []
        numbers.append(f"alpha {_format_span([spec.rate for spec in specs])}")
        reporter.inform(f"auto: {labels[method]}: {', '.join(numbers)}")


def _format_span(values: Sequence[Any]) -> str:
    least, largest = min(values), max(values)
    return f"{least:g}" if least == largest else f"{least:g} to {largest:g}"
