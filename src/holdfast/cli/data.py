"""`holdfast data`: list data sets, or fetch them into the cache."""

from argparse import ArgumentParser, Namespace

from holdfast import data
from holdfast.cli.parsers import Command, add_commands
from holdfast.errors import unknown
from holdfast.naming import summary


class _List:
    @staticmethod
    def add_flags(parser: ArgumentParser) -> None: ...

    @staticmethod
    def command(arguments: Namespace) -> int:
        for name, loader in data.REGISTRY.items():
            if name in data.FETCHED:
                image_set = data.FETCHED[name]
                place = f"in {image_set.folder}" if image_set.cached() else f"not fetched; holdfast data fetch {name}"
            else:
                place = "embedded"
            print(f"{name:15}{summary(loader)} [{place}]")
        return 0


class _Fetch:
    @staticmethod
    def add_flags(parser: ArgumentParser) -> None:
        parser.add_argument("names", nargs="+", metavar="NAME", help=", ".join(data.FETCHED))

    @staticmethod
    def command(arguments: Namespace) -> int:
        for name in arguments.names:
            if name not in data.FETCHED:
                raise unknown("data set to fetch", name, data.FETCHED)
        for name in arguments.names:
            image_set = data.FETCHED[name]
            if not image_set.cached():
                image_set.fetch()
            print(f"{name}: in {image_set.folder}, checksums right")
        return 0


ACTIONS = {
    "list": Command("list data sets and where they are", "holdfast data list", _List()),
    "fetch": Command("fetch data sets into the cache", "holdfast data fetch mnist", _Fetch()),
}


def add_flags(parser: ArgumentParser) -> None:
    add_commands(parser, "action", ACTIONS)


def command(arguments: Namespace) -> int:
    return ACTIONS[arguments.action].load(arguments.action).command(arguments)
