"""`holdfast advise`: what to set, and what is promised, before a run."""

import json
import shlex
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path

from threadpoolctl import threadpool_limits

from holdfast.advice import Advice, advise
from holdfast.cli.compare import check_folder
from holdfast.cli.compiling import tell_when_compiling
from holdfast.cli.console import Speaker
from holdfast.cli.options import add_spec_flags, flags_of, spec_of
from holdfast.cli.run import new_folder
from holdfast.files import write_atomic

LOOKED_FOR = ("method", "norm", "penalty", "rate", "reply", "declared", "eval_every", "checkpoint_every")
"""Fields of a spec that the advice is about, or that do not matter to it."""


def add_advise_flags(parser: ArgumentParser) -> None:
    add_spec_flags(parser, without=LOOKED_FOR)
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the page (default: under runs/)")


def command_advise(arguments: Namespace) -> int:
    from holdfast.report.advice_page import advice_page

    asked = spec_of(arguments, without=LOOKED_FOR)
    out: Path = arguments.out or new_folder("advise")
    check_folder(out)
    speaker = Speaker(to_stderr=arguments.json)
    tell_when_compiling(speaker)
    with threadpool_limits(1, "blas"):
        advice = advise(asked)
    best = replace(asked, method="rsa", norm=advice.spec.norm, penalty=advice.spec.penalty, rate=advice.spec.rate)
    command = shlex.join(["holdfast", "run", *flags_of(best)])
    results = json.dumps(advice.to_json() | {"command": command}, allow_nan=False)
    write_atomic(out / "advice.json", results.encode())
    title = f"{asked.data}, {asked.partition}, {asked.workers} workers, {asked.byzantine} Byzantine: advice"
    write_atomic(out / "advice.html", advice_page(advice, title, command).encode())
    if arguments.json:
        print(results)
    _say(speaker, advice)
    speaker.say(f"page: {out / 'advice.html'}")
    speaker.say(command)
    return 0


def _say(speaker: Speaker, advice: Advice) -> None:
    from holdfast.report.advice_page import CAVEAT, norm_table, promised, recommended, said

    told = advice.told()
    speaker.say(told.pop("workers"))
    speaker.console.print(norm_table(advice))
    for title, sentences in (("recommended", recommended(advice)), ("promised", promised(advice) | told)):
        speaker.console.print(said(title, sentences))
        speaker.console.print()
    speaker.say(CAVEAT)
