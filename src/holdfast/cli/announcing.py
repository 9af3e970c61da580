"""What was found for the user and not asked for: said before anything is computed with it."""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from holdfast.cli.reporter import Reporter
from holdfast.cli.spec_flags import format_flags
from holdfast.methods import Method, Rsa, method_labels
from holdfast.runs.auto import is_auto, resolve_auto
from holdfast.runs.plan import guesses, resolved
from holdfast.runs.problem_building import build_problem
from holdfast.runs.spec import Spec


def announce_guesses(reporter: Reporter, asked: Iterable[Spec]) -> None:
    """Say what the data decided, each thing once."""
    for line in dict.fromkeys(line for spec in asked for line in guesses(spec, resolved(spec))):
        reporter.inform(line)


def announced(reporter: Reporter, asked: Spec) -> Spec:
    """Return a spec with numbers for what it leaves to the rule; say them, and what the data decided."""
    ready = resolved(asked)
    build_problem(ready)  # what cannot work is said first, and alone
    announce_guesses(reporter, [asked])
    if not is_auto(ready):
        return asked
    found = resolve_auto(ready)
    method: Any = asked.method
    if isinstance(method, Rsa) and isinstance(found.method, Rsa):
        method = replace(method, penalty=found.method.penalty)
    reporter.inform(f"auto: {shlex.join(format_flags(Spec(method=method, rate=found.rate)))}")
    return found


def announce_numbers(reporter: Reporter, asked: Sequence[Spec], ready: Sequence[Spec]) -> None:
    """Say which numbers the rule found for many runs: one line per method, from the least to the largest."""
    found: dict[Method, list[Spec]] = {}
    for spec, numbered in zip(asked, ready, strict=True):
        if is_auto(resolved(spec)):
            found.setdefault(spec.method, []).append(numbered)
    labels = method_labels(spec.method for spec in asked)
    for method, specs in found.items():
        penalties = [each for spec in specs if (each := getattr(spec.method, "penalty", None)) is not None]
        told = [f"lambda {_span(penalties)}"] if penalties else []
        reporter.inform(
            f"auto: {labels[method]}: {', '.join([*told, f'alpha {_span([spec.rate for spec in specs])}'])}"
        )


def _span(values: Sequence[Any]) -> str:
    least, largest = min(values), max(values)
    return f"{least:g}" if least == largest else f"{least:g} to {largest:g}"
