"""`holdfast advise`: what to set, and what is promised, before a run."""

import json
import shlex
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path

from threadpoolctl import threadpool_limits

from holdfast.attacks import SignFlip
from holdfast.cli.announcing import announce_guesses
from holdfast.cli.console import Speaker
from holdfast.cli.folders import results_folder
from holdfast.cli.options import add_output, add_spec_flags, flags_of, spec_of
from holdfast.insight.advice import Advice, advise
from holdfast.methods import Rsa
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import data_name

LOOKED_FOR = ("method", "rate", "declared", "eval_every", "checkpoint_every", "engine")
"""Fields of a spec that the advice is about, or that do not matter to it."""


def add_flags(parser: ArgumentParser) -> None:
    add_spec_flags(parser, without=LOOKED_FOR)
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the page (default: under runs/)")
    add_output(parser)


def command(arguments: Namespace) -> int:
    asked = spec_of(arguments)
    speaker = Speaker.of(arguments)
    with results_folder(arguments.out, "advise") as out:
        _advise(speaker, asked, out, arguments.json)
    return 0


def _advise(speaker: Speaker, asked: Spec, out: Path, as_json: bool) -> None:
    from holdfast.report.advice_page import advice_page
    from holdfast.report.page import write_report

    announce_guesses(speaker, [asked])
    with speaker.working(), threadpool_limits(1, "blas"):
        advice = advise(asked)
    words = shlex.join(["holdfast", "run", *flags_of(_best(asked, advice))])
    results = json.dumps(advice.to_json() | {"command": words}, allow_nan=False)
    title = f"{data_name(asked.data)}, {asked.partition_text}, {asked.workers} workers, {asked.q} Byzantine: advice"
    write_report(out, advice_page(advice, title, words), results, names=("advice.html", "advice.json"))
    if as_json:
        print(results)
    _say(speaker, advice)
    speaker.say(f"page: {out / 'advice.html'}")
    speaker.say(words)


def _best(asked: Spec, advice: Advice) -> Spec:
    """Return what was asked about, with the norm, lambda and alpha that are recommended; Byzantine workers attack."""
    found = advice.spec.method
    assert isinstance(found, Rsa)  # the advice is about RSA
    attack = SignFlip() if asked.attack is None and asked.q else asked.attack
    return replace(asked, attack=attack, method=Rsa(norm=found.norm, penalty=found.penalty), rate=advice.spec.rate)


def _say(speaker: Speaker, advice: Advice) -> None:
    from holdfast.report.advice_page import CAVEAT, guarantees, norm_table, recommendations
    from holdfast.report.page import Facts

    told = advice.told()
    speaker.say(told.pop("workers"))
    speaker.table(norm_table(advice).terminal("norms"))
    promised = Facts({**guarantees(advice).sentences, **told})
    for title, facts in (("recommended", recommendations(advice)), ("promised", promised)):
        speaker.table(facts.terminal(title))
        speaker.console.print()
    speaker.say(CAVEAT)
