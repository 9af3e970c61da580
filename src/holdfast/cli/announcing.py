"""What was found for the user and not asked for: said before anything is computed with it."""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from holdfast.cli.console import Speaker
from holdfast.cli.options import flags_of
from holdfast.methods import Method, Rsa, method_labels
from holdfast.runs.auto import is_auto
from holdfast.runs.plan import Plan, fill_defaults, list_inferences, make_plan
from holdfast.runs.spec import Spec


def announce_inferences(speaker: Speaker, asked: Iterable[Spec]) -> None:
    """Say what the data decided, each thing once."""
    for line in dict.fromkeys(line for spec in asked for line in list_inferences(spec, fill_defaults(spec))):
        speaker.news(line)


def announce_plan(speaker: Speaker, asked: Spec) -> Plan:
    """Return the plan of a spec; say what the data decided, and the numbers that the rule found."""
    plan = make_plan(asked)  # what cannot work is said first, and alone
    announce_inferences(speaker, [asked])
    found = plan.spec
    if is_auto(fill_defaults(asked)):
        method: Any = asked.method
        if isinstance(method, Rsa) and isinstance(found.method, Rsa):
            method = replace(method, penalty=found.method.penalty)
        speaker.news(f"auto: {shlex.join(flags_of(Spec(method=method, rate=found.rate)))}")
    return plan


def announce_numbers(speaker: Speaker, asked: Sequence[Spec], ready: Sequence[Spec]) -> None:
    """Say which numbers the rule found for many runs: one line per method, from the least to the largest."""
    found: dict[Method, list[Spec]] = {}
    for spec, numbered in zip(asked, ready, strict=True):
        if is_auto(fill_defaults(spec)):
            found.setdefault(spec.method, []).append(numbered)
    labels = method_labels(spec.method for spec in asked)
    for method, specs in found.items():
        penalties = [each for spec in specs if (each := getattr(spec.method, "penalty", None)) is not None]
        told = [f"lambda {_span(penalties)}"] if penalties else []
        speaker.news(f"auto: {labels[method]}: {', '.join([*told, f'alpha {_span([spec.rate for spec in specs])}'])}")


def _span(values: Sequence[Any]) -> str:
    least, largest = min(values), max(values)
    return f"{least:g}" if least == largest else f"{least:g} to {largest:g}"
