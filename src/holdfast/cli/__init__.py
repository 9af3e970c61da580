"""The command `holdfast`: parse, call the library, print. Only the command that is asked for is loaded."""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence

import holdfast
from holdfast._version import __version__
from holdfast.cli.parsing import Command, OneLineParser, add_commands
from holdfast.errors import INTERRUPTED, InvalidInput, StorageError

BAD_INPUT = 2
"""The exit status when something given cannot work, which the user can mend."""
IO_ERROR = 74
"""The exit status when a file could not be read or written while the command worked: EX_IOERR of sysexits.h."""

COMMANDS = {
    "run": Command("train once", "holdfast run --attack same-value --byzantine 8 --data digits"),
    "resume": Command("resume an interrupted run", "holdfast resume runs/my-run"),
    "inspect": Command(
        "show a run worker by worker: own models, and who is suspected; one page", "holdfast inspect runs/my-run"
    ),
    "predict": Command(
        "tell what a finished run's model says of the samples in a table",
        "holdfast predict runs/my-run new.csv --out predicted.csv",
    ),
    "compare": Command(
        "run every combination of several methods, attacks, seeds or other values; one table, one page",
        "holdfast compare --method rsa krum --attack none gaussian --byzantine 4 8 --seed 0 1 2 --data digits",
    ),
    "arena": Command(
        "play every method under every attack; judge each by its worst case; one page", "holdfast arena --preset quick"
    ),
    "tune": Command(
        "search lambda, alpha and the norm on training samples held back, by successive halving",
        "holdfast tune --data digits --attack sign-flip --byzantine 8 --rounds 1000",
    ),
    "demo": Command(
        "RSA and its rivals under every attack on embedded data, judged by the worst case", "holdfast demo"
    ),
    "reproduce": Command(
        "run the paper's experiments on MNIST: tables, charts, every run on record",
        "holdfast reproduce same-value heterogeneous --quick",
    ),
    "check": Command(
        "try the laws of its kind on a rule, attack or other part; print the smallest counterexamples",
        "holdfast check krum:byzantine=2",
    ),
    "theory": Command(
        "tell what the theorems promise: lambda_0, step sizes, bounds, and which of them apply",
        "holdfast theory --data digits --partition by-label --method rsa:norm=2 --byzantine 4",
    ),
    "advise": Command(
        "tell how workers differ, what to set, and what is promised",
        "holdfast advise --data digits --partition by-label --workers 10 --byzantine 2",
    ),
    "federation": Command(
        "a Flower app: write it, try it on this machine, stop what is left",
        "holdfast federation try my-federation --nodes 4 --byzantine 1 --attack sign-flip",
    ),
    "list": Command(
        "list methods, rules, stages, attacks, data sets, partitions, problems, schedules and engines", "holdfast list"
    ),
    "cite": Command(
        "print where methods, attacks and partitions come from, as BibTeX", "holdfast cite rsa nnm+krum alie"
    ),
    "data": Command("list or fetch data sets", "holdfast data list"),
    "init": Command(
        "write a spec file that explains every key and runs as it stands",
        "holdfast init spec.toml --data digits --attack sign-flip --byzantine 4",
    ),
    "schema": Command(
        "print the JSON Schema of spec files, with which editors complete and check them", "holdfast schema"
    ),
    "completion": Command(
        "print what a shell needs to complete this command; bash: source <(holdfast completion bash)",
        "holdfast completion bash",
    ),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    words = sys.argv[1:] if argv is None else [*argv]
    _find_own_modules()
    try:
        arguments, strange = command_parser(words).parse_known_args(words)
        if strange:
            from holdfast.cli.refusals import unknown_argument

            raise unknown_argument(strange[0], words, arguments)
        status = COMMANDS[arguments.command].load(arguments.command).command(arguments)
        sys.stdout.flush()  # what cannot be printed is told as well
        return status
    except BrokenPipeError:  # the reader of a pipe went away, as `head` does
        sys.stderr.close()
        return 0
    except (InvalidInput, MemoryError, KeyboardInterrupt, OSError) as error:
        why, status = _failure(error)
        from holdfast.cli.reporter import printable

        line = printable(why).replace("\n", "\\n")
        print(f"holdfast: {line}", file=sys.stderr)
        return status
    finally:
        if "holdfast.cli.reporter" in sys.modules:  # else no reporter was made
            sys.modules["holdfast.cli.reporter"].detach()


def _failure(error: BaseException) -> tuple[str, int]:
    """Return why the command ends, and its exit status."""
    match error:
        case MemoryError():
            return f"this needs more memory than there is: {error}", BAD_INPUT
        case KeyboardInterrupt():
            return "interrupted", INTERRUPTED
        case StorageError():
            return str(error), IO_ERROR
        case OSError():
            from holdfast.files import reason

            what = error.filename or "what is printed"
            return f"a file must be readable and writable; got {what}: {reason(error)}", IO_ERROR
    return str(error), BAD_INPUT


def _find_own_modules() -> None:
    """Let `package.module:Name` mean what lies in the current folder first, as it would for `python -m`."""
    if sys.path[:1] != [""] and not sys.flags.safe_path:
        sys.path.insert(0, "")


def command_parser(words: Sequence[str] | None = None) -> ArgumentParser:
    """Return the parser of the whole command; for these words, with the flags of the command that they name only."""
    parser = OneLineParser(prog="holdfast", description=holdfast.__doc__)
    parser.add_argument("--version", action="version", version=f"holdfast {__version__}")
    chosen = None if words is None else next((word for word in words if not word.startswith("-")), "")
    add_commands(parser, "command", COMMANDS, chosen)
    return parser
