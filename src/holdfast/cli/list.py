"""`holdfast list` and `holdfast data`: what there is."""

from argparse import Namespace

from rich.table import Table

from holdfast import aggregators, attacks, data, methods, problems
from holdfast.attacks import LocalAttack
from holdfast.cli.console import Speaker
from holdfast.data import partitions
from holdfast.errors import unknown
from holdfast.methods import schedules
from holdfast.naming import summary, usage
from holdfast.theory import steps


def command_list(arguments: Namespace) -> int:
    console = Speaker().console
    for title, entries in _catalogue().items():
        table = Table(
            title=title, title_justify="left", title_style="bold", box=None, show_header=False, padding=(0, 2)
        )
        for name, line in entries.items():
            table.add_row(name, line)
        console.print(table)
        console.print()
    return 0


def _catalogue() -> dict[str, dict[str, str]]:
    return {
        "methods (--method)": {name: recipe.summary for name, recipe in methods.REGISTRY.items()},
        "rules (holdfast.aggregators)": {rule.__name__: summary(rule) for rule in aggregators.REGISTRY.values()},
        "attacks (--attack)": {
            usage(name, attack): f"{summary(attack)}{_needs(attack)}" for name, attack in attacks.REGISTRY.items()
        },
        "data sets (--data)": {name: summary(loader) for name, loader in data.REGISTRY.items()}
        | {"FILE.npz, FILE.csv": "your own: x_train, y_train, x_test, y_test or x, y; in a .csv the last column is y"},
        "partitions (--partition)": {
            usage(name, partition): summary(partition) for name, partition in partitions.REGISTRY.items()
        },
        "problems (--problem)": {name: summary(problem) for name, problem in problems.REGISTRY.items()},
        "schedules (--schedule)": {
            name: summary(kind) for name, kind in (*schedules.REGISTRY.items(), *steps.REGISTRY.items())
        },
    }


def _needs(attack: type) -> str:
    return "" if issubclass(attack, LocalAttack) else " Sees every regular message."


def command_data_list(arguments: Namespace) -> int:
    for name, loader in data.REGISTRY.items():
        if name in data.FETCHED:
            image_set = data.FETCHED[name]
            place = f"in {image_set.folder}" if image_set.cached() else f"not fetched; holdfast data fetch {name}"
        else:
            place = "embedded"
        print(f"{name:15}{summary(loader)} [{place}]")
    return 0


def command_data_fetch(arguments: Namespace) -> int:
    for name in arguments.names:
        if name not in data.FETCHED:
            raise unknown("data set to fetch", name, data.FETCHED)
    for name in arguments.names:
        image_set = data.FETCHED[name]
        if not image_set.cached():
            image_set.fetch()
        print(f"{name}: in {image_set.folder}, checksums right")
    return 0
