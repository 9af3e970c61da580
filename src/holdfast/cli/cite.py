"""`holdfast cite`: the sources of methods, attacks and partitions as BibTeX."""

from argparse import ArgumentParser, Namespace

from holdfast.citations import citations_of
from holdfast.errors import InvalidInput


def add_flags(parser: ArgumentParser) -> None:
    parser.add_argument(
        "parts",
        nargs="+",
        metavar="METHOD",
        help="method as in --method, stage, attack, partition, saga or lsvrg",
    )


def command(arguments: Namespace) -> int:
    entries = [entry for part in arguments.parts for entry in citations_of(part)]
    if not entries:
        raise InvalidInput(f"cite needs a part that has a source; got {' '.join(arguments.parts)}")
    print("\n\n".join(dict.fromkeys(entries)))
    return 0
