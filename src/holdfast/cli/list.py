"""`holdfast list`: every name in the registries."""

from argparse import ArgumentParser, Namespace
from dataclasses import fields
from inspect import signature
from typing import Any

from rich.table import Table

from holdfast.aggregators import CoordinateWise, NormWise, Remembering, Rule, Weighted
from holdfast.attacks import ATTACKS, ColludingAttack
from holdfast.cli.reporter import Reporter
from holdfast.data import PARTITIONS, SETS, TABLE_TYPES
from holdfast.data import Table as DataTable
from holdfast.engines.engine_options import ENGINES
from holdfast.methods import schedules
from holdfast.methods.names import METHODS, STAGES
from holdfast.methods.names import REGISTRY as METHODS_BY_NAME
from holdfast.naming import Family, summary
from holdfast.problems import MODELS, PROBLEMS
from holdfast.theory import steps

RULES: dict[Any, str] = {
    CoordinateWise: "coordinate by coordinate",
    Weighted: "by mutual distances",
    NormWise: "by length",
    Remembering: "with memory or draws",
    Rule: "others",
}
"""Families of rules, the first that fits; each has laws in `holdfast.testing`."""
OUTSIDE = "package.module:Name[:key=value,...] works wherever a name does, for your own code"


def add_flags(parser: ArgumentParser) -> None: ...


def command(arguments: Namespace) -> int:
    reporter = Reporter()
    for title, entries in _collect().items():
        table = Table(
            title=title, title_justify="left", title_style="bold", box=None, show_header=False, padding=(0, 2)
        )
        table.add_column(no_wrap=True)
        for name, line in entries.items():
            table.add_row(name, line)
        reporter.print_table(table)
        reporter.say("")
    reporter.say(OUTSIDE)
    return 0


def _collect() -> dict[str, dict[str, str]]:
    options = ",".join(f"{option.name}=..." for option in fields(DataTable) if option.name != "path")
    files = {
        "FILE.npz": "your own arrays: x_train, y_train, x_test, y_test or x, y",
        f"{', '.join(f'FILE{suffix}' for suffix in TABLE_TYPES)}": f"{summary(DataTable)} Also takes {options}.",
    }
    return {
        **_group_methods(),
        "stages (--method STAGE+RULE)": _describe(STAGES),
        "attacks (--attack)": {
            usage: line + _describe_threat(attack)
            for (usage, line), attack in zip(_describe(ATTACKS).items(), ATTACKS.registry.values(), strict=True)
        },
        "data sets (--data)": {name: summary(loader) for name, loader in SETS.registry.items()} | files,
        "partitions (--partition)": _describe(PARTITIONS),
        "problems (--problem)": {name: summary(problem) for name, problem in PROBLEMS.registry.items()},
        "models (--model), with PyTorch": _describe(MODELS),
        "schedules (--schedule)": {
            name: summary(kind) for name, kind in (*schedules.REGISTRY.items(), *steps.REGISTRY.items())
        },
        "engines (--engine)": _describe(ENGINES),
    }


def _group_methods() -> dict[str, dict[str, str]]:
    """Return the methods by family, each rule with the name of its class in `holdfast.aggregators`."""
    by_family: dict[str, dict[str, str]] = {"methods (--method)": {}}
    by_family |= {f"rules on gradients, {what} (--method)": {} for what in RULES.values()}
    for (usage, line), member in zip(_describe(METHODS).items(), METHODS_BY_NAME.values(), strict=True):
        if not issubclass(member, Rule):
            by_family["methods (--method)"][usage] = line
            continue
        what = next(what for family, what in RULES.items() if issubclass(member, family))
        by_family[f"rules on gradients, {what} (--method)"][usage] = f"{line} ({member.__name__})"
    return by_family


def _describe(family: Family[Any]) -> dict[str, str]:
    """Return each member as it is written, with its defaults, and a summary."""
    return {family.usage(name): summary(member) + _list_further(member) for name, member in family.registry.items()}


def _list_further(member: Any) -> str:
    """Return the options whose defaults depend on the run."""
    names = [each.name for each in signature(member).parameters.values() if each.default is None]
    return f" Also takes {', '.join(names)}." if names else ""


def _describe_threat(attack: Any) -> str:
    return " Sees every honest message." if issubclass(attack, ColludingAttack) else ""
