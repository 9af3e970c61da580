"""The command `holdfast`: parse, call the library, print. Only the chosen command is loaded."""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence

import holdfast
from holdfast._version import __version__
from holdfast.cli.parsers import Command, OneLineParser, add_commands
from holdfast.errors import INTERRUPTED, InvalidInput, StorageError

BAD_INPUT = 2
"""The exit status when the input cannot work and the user can mend it."""
IO_ERROR = 74
"""The exit status when a file cannot be read or written during the work: EX_IOERR of sysexits.h."""

COMMANDS = {
    "run": Command("train once", "holdfast run --attack same-value --byzantine 8 --data digits"),
    "resume": Command("resume an interrupted run", "holdfast resume runs/my-run"),
    "inspect": Command(
        "show a run worker by worker: own models, disagreement, suspects; one page", "holdfast inspect runs/my-run"
    ),
    "predict": Command(
        "predict with a finished run",
        "holdfast predict runs/my-run new.csv --out predicted.csv",
    ),
    "compare": Command(
        "run every combination of several methods, attacks, seeds or other values; one table, one page",
        "holdfast compare --method rsa krum --attack none gaussian --byzantine 4 8 --seed 0 1 2 --data digits",
    ),
    "arena": Command(
        "run every method under every attack; rank methods by their worst case; one page",
        "holdfast arena --preset quick",
    ),
    "tune": Command(
        "search lambda, alpha and the norm by successive halving on held-out training samples",
        "holdfast tune --data digits --attack sign-flip --byzantine 8 --rounds 1000",
    ),
    "demo": Command(
        "run RSA and its rivals under every attack on embedded data; rank them by their worst case", "holdfast demo"
    ),
    "reproduce": Command(
        "run the paper's experiments on MNIST: tables, charts and a record of every run",
        "holdfast reproduce same-value heterogeneous --quick",
    ),
    "check": Command(
        "test your rule, attack or other part against the laws of its kind; print the smallest counterexamples",
        "holdfast check krum:byzantine=2",
    ),
    "theory": Command(
        "compute what the theorems promise: lambda_0, step sizes, bounds, and which of them apply",
        "holdfast theory --data digits --partition by-label --method rsa:norm=2 --byzantine 4",
    ),
    "advise": Command(
        "measure how workers differ; recommend norm, lambda and alpha; say what the theorems promise",
        "holdfast advise --data digits --partition by-label --workers 10 --byzantine 2",
    ),
    "federation": Command(
        "write a Flower app, try it on this machine, stop its processes",
        "holdfast federation try my-federation --nodes 4 --byzantine 1 --attack sign-flip",
    ),
    "list": Command(
        "list methods, rules, stages, attacks, data sets, partitions, problems, schedules and engines", "holdfast list"
    ),
    "cite": Command(
        "print the sources of methods, attacks and partitions as BibTeX", "holdfast cite rsa nnm+krum alie"
    ),
    "data": Command("list or fetch data sets", "holdfast data list"),
    "init": Command(
        "write a spec file that explains every key and is ready to run",
        "holdfast init spec.toml --data digits --attack sign-flip --byzantine 4",
    ),
    "schema": Command("print the JSON Schema of spec files; editors complete and check with it", "holdfast schema"),
    "completion": Command(
        "print the completion script of a shell; bash: source <(holdfast completion bash)",
        "holdfast completion bash",
    ),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    words = sys.argv[1:] if argv is None else [*argv]
    _find_own_modules()
    try:
        arguments, strange = make_parser(words).parse_known_args(words)
        if strange:
            from holdfast.cli.parsers import refuse_argument

            raise refuse_argument(strange[0], words, arguments)
        status = COMMANDS[arguments.command].load(arguments.command).command(arguments)
        sys.stdout.flush()  # a failure to print is reported below
        return status
    except BrokenPipeError:  # the reader of a pipe went away, as `head` does
        sys.stderr.close()
        return 0
    except (InvalidInput, MemoryError, KeyboardInterrupt, OSError) as error:
        why, status = _explain_failure(error)
        from holdfast.cli.reporter import printable

        line = printable(why).replace("\n", "\\n")
        print(f"holdfast: {line}", file=sys.stderr)
        return status
    finally:
        if "holdfast.cli.reporter" in sys.modules:  # else no reporter was made
            sys.modules["holdfast.cli.reporter"].detach()


def _explain_failure(error: BaseException) -> tuple[str, int]:
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
    """Find `package.module:Name` in the current folder first, as `python -m` does."""
    if sys.path[:1] != [""] and not sys.flags.safe_path:
        sys.path.insert(0, "")


def make_parser(words: Sequence[str] | None = None) -> ArgumentParser:
    """Return the parser of all commands; given words, only the command they name gets its flags."""
    parser = OneLineParser(prog="holdfast", description=holdfast.__doc__)
    parser.add_argument("--version", action="version", version=f"holdfast {__version__}")
    chosen = None if words is None else next((word for word in words if not word.startswith("-")), "")
    add_commands(parser, "command", COMMANDS, chosen)
    return parser
