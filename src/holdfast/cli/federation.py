"""`holdfast federation`: write a Flower app, try it on this machine, stop the processes of a killed trial."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from holdfast.cli.parsers import Command, add_commands
from holdfast.cli.reporter import Reporter
from holdfast.errors import EngineError
from holdfast.federation.app_template import FRAMEWORKS, LOOPBACK, write_app
from holdfast.federation.trial import Trial, stop

FAILED = 1
"""The exit status when a federation did not finish."""


def _add_folder(parser: ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder of the app")


class _Init:
    @staticmethod
    def add_flags(parser: ArgumentParser) -> None:
        _add_folder(parser)
        parser.add_argument(
            "--nodes", type=int, default=4, metavar="N", help="number of nodes to write keys for (default 4)"
        )
        parser.add_argument(
            "--framework", default="numpy", choices=FRAMEWORKS, help="framework of the model (default numpy)"
        )
        parser.add_argument(
            "--host", default=LOOPBACK, metavar="NAME", help="name or address of the server, for its certificate"
        )

    @staticmethod
    def command(arguments: Namespace) -> int:
        for path in write_app(arguments.folder, arguments.nodes, arguments.framework, arguments.host):
            print(path)
        print(f"edit {arguments.folder}/robust_app/task.py; then: holdfast federation try {arguments.folder}")
        return 0


class _Try:
    @staticmethod
    def add_flags(parser: ArgumentParser) -> None:
        _add_folder(parser)
        parser.add_argument("--nodes", type=int, default=4, metavar="N", help="number of nodes to start (default 4)")
        parser.add_argument(
            "--byzantine", type=int, default=0, metavar="N", help="number of Byzantine nodes, which are the last ones"
        )
        parser.add_argument(
            "--attack",
            metavar="NAME",
            help="attack of the Byzantine nodes: NAME[:key=value,...]; local attacks only",
        )
        parser.add_argument(
            "--config", default="", metavar="TEXT", help="settings of the app, such as 'rounds=5 seed=1'"
        )
        parser.add_argument("--resume", action="store_true", help="resume from the checkpoints of the last trial")

    @staticmethod
    def command(arguments: Namespace) -> int:
        reporter = Reporter()
        about = (arguments.folder, arguments.nodes, arguments.byzantine, arguments.attack)
        trial = Trial(*about, config=arguments.config, resume=arguments.resume)
        try:
            trial.play(reporter.say)
        except EngineError as error:
            reporter.say(str(error))
            return FAILED
        reporter.say(f"done; the model is {trial.server / 'model.npy'}")
        return 0


class _Stop:
    @staticmethod
    def add_flags(parser: ArgumentParser) -> None:
        _add_folder(parser)

    @staticmethod
    def command(arguments: Namespace) -> int:
        print(f"{stop(arguments.folder)} processes ended")
        return 0


ACTIONS = {
    "init": Command("write an app, certificates and node keys", "holdfast federation init my-federation", _Init()),
    "try": Command(
        "train on this machine: a SuperLink and SuperNodes with TLS and node keys",
        "holdfast federation try my-federation --nodes 4 --byzantine 1 --attack sign-flip",
        _Try(),
    ),
    "stop": Command(
        "end the processes that a killed trial left running", "holdfast federation stop my-federation", _Stop()
    ),
}


def add_flags(parser: ArgumentParser) -> None:
    add_commands(parser, "action", ACTIONS)


def command(arguments: Namespace) -> int:
    return ACTIONS[arguments.action].load(arguments.action).command(arguments)
