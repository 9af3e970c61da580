"""The command `holdfast`: parse, call the library, print."""

import sys
from argparse import ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import holdfast
from holdfast.cli.advise import add_advise_flags, command_advise
from holdfast.cli.compare import SWEPT, command_compare, command_demo
from holdfast.cli.inspect import command_inspect
from holdfast.cli.list import command_data_fetch, command_data_list, command_list
from holdfast.cli.options import OneLineParser, add_spec_flags, unknown_flag
from holdfast.cli.reproduce import add_reproduce_flags, command_reproduce
from holdfast.cli.run import INTERRUPTED, command_resume, command_run
from holdfast.cli.theory import command_theory
from holdfast.cli.tune import add_tune_flags, command_tune
from holdfast.errors import InvalidInput

BAD_INPUT = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    try:
        arguments, strange = _parser().parse_known_args(argv)
        if strange:
            raise unknown_flag(strange[0], arguments.parser)
        status: int = arguments.command(arguments)
    except InvalidInput as error:
        print(f"holdfast: {error}", file=sys.stderr)
        return BAD_INPUT
    except MemoryError as error:
        print(f"holdfast: this needs more memory than there is: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("holdfast: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe went away, as `head` does
        sys.stderr.close()
        return 0
    return status


def _parser() -> ArgumentParser:
    parser = OneLineParser(prog="holdfast", description=holdfast.__doc__)
    parser.add_argument("--version", action="version", version=f"holdfast {holdfast.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=OneLineParser)
    command = partial(_command, commands)
    _add_single(command)
    _add_many(command)
    _add_theory(command)
    command("list", command_list, "list methods, rules, attacks, data sets and partitions", "holdfast list")
    _add_data(commands)
    return parser


def _command(
    among: "_SubParsersAction[OneLineParser]", name: str, act: Callable[[Namespace], int], help: str, example: str
) -> ArgumentParser:
    added = among.add_parser(name, help=help, description=help, epilog=f"example:\n  {example}")
    added.set_defaults(command=act, parser=added)
    return added


def _add_single(command: Callable[..., ArgumentParser]) -> None:
    """Add the commands about one run."""
    one = command("run", command_run, "train once", "holdfast run --attack same-value --byzantine 8 --data digits")
    add_spec_flags(one)
    one.add_argument("--out", type=Path, metavar="DIR", help="the run folder (default: a new one under runs/)")
    _json(one)

    again = command("resume", command_resume, "go on with an interrupted run", "holdfast resume runs/my-run")
    again.add_argument("run", type=Path, metavar="RUN", help="the run folder")
    _json(again)

    look = command(
        "inspect",
        command_inspect,
        "show a run worker by worker: own models, and who stands apart; one page",
        "holdfast inspect runs/my-run",
    )
    look.add_argument("run", type=Path, metavar="RUN", help="the run folder")
    look.add_argument("--out", type=Path, metavar="FILE", help="the page (default: report.html in the run folder)")
    _json(look)


def _add_many(command: Callable[..., ArgumentParser]) -> None:
    """Add the commands that spread runs over the cores."""
    many = command(
        "compare",
        command_compare,
        "run several methods under several attacks; one table, one page",
        "holdfast compare --method rsa krum median --attack none gaussian --byzantine 8 --data digits --rounds 500",
    )
    add_spec_flags(many, without=SWEPT)
    many.add_argument("--method", nargs="+", metavar="NAME", help="methods; see holdfast list (default rsa sgd)")
    many.add_argument("--attack", nargs="+", metavar="NAME[:key=value,...]", help="attacks (default none)")
    many.add_argument("--partition", nargs="+", metavar="NAME", help="partitions (default iid)")
    many.add_argument("--out", type=Path, metavar="DIR", help="folder of page and results (default: under runs/)")
    _jobs(many)
    _json(many)

    tuned = command(
        "tune",
        command_tune,
        "search lambda, alpha and the norm on training samples held back, by successive halving",
        "holdfast tune --data digits --attack sign-flip --byzantine 8 --rounds 1000",
    )
    add_tune_flags(tuned)
    _jobs(tuned)
    _json(tuned)

    show = command(
        "demo",
        command_demo,
        "compare RSA with its rivals on embedded data, in under a minute",
        "holdfast demo",
    )
    show.add_argument(
        "--out", type=Path, default=Path("demo"), metavar="DIR", help="folder of the page (default: demo)"
    )
    _jobs(show)
    _json(show)

    paper = command(
        "reproduce",
        command_reproduce,
        "run the paper's experiments on MNIST: tables, charts, every run on record",
        "holdfast reproduce same-value heterogeneous --quick",
    )
    add_reproduce_flags(paper)
    _jobs(paper)
    _json(paper)


def _add_theory(command: Callable[..., ArgumentParser]) -> None:
    """Add the commands that train nothing."""
    promised = command(
        "theory",
        command_theory,
        "tell what the theorems promise: lambda_0, step sizes, bounds, and which of them apply",
        "holdfast theory --data digits --partition by-label --norm 2 --byzantine 4",
    )
    add_spec_flags(promised)
    _json(promised)

    advised = command(
        "advise",
        command_advise,
        "tell how workers differ, what to set, and what is promised",
        "holdfast advise --data digits --partition by-label --workers 10 --byzantine 2",
    )
    add_advise_flags(advised)
    _json(advised)


def _add_data(commands: "_SubParsersAction[OneLineParser]") -> None:
    about = "list or fetch data sets"
    data = commands.add_parser("data", help=about, description=about, epilog="example:\n  holdfast data list")
    data.set_defaults(parser=data)
    actions = data.add_subparsers(metavar="ACTION", required=True, parser_class=OneLineParser)
    _command(actions, "list", command_data_list, "list data sets, and what is cached", "holdfast data list")
    fetch = _command(
        actions, "fetch", command_data_fetch, "bring data sets into the cache", "holdfast data fetch mnist"
    )
    fetch.add_argument("names", nargs="+", metavar="NAME", help="mnist, fashion-mnist")


def _json(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object on stdout, all else on stderr")


def _jobs(parser: ArgumentParser) -> None:
    parser.add_argument("--jobs", type=int, metavar="N", help="processes to use (default: one a core)")
