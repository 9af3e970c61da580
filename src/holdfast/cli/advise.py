"""`holdfast advise`: recommend norm, lambda and alpha before a run."""

import json
import shlex
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path

from threadpoolctl import threadpool_limits

from holdfast.attacks import SignFlip
from holdfast.cli.announcements import announce_inferences
from holdfast.cli.reporter import Reporter
from holdfast.cli.results_folders import results_folder
from holdfast.cli.spec_flags import add_output, add_spec_flags, format_flags, read_spec
from holdfast.insight.advice import Advice, advise
from holdfast.methods import Rsa
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import data_name

LOOKED_FOR = ("method", "rate", "declared", "eval_every", "checkpoint_every", "engine")
"""Fields of a spec that the advice recommends or ignores."""


def add_flags(parser: ArgumentParser) -> None:
    add_spec_flags(parser, without=LOOKED_FOR)
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the page (default: under runs/)")
    add_output(parser)


def command(arguments: Namespace) -> int:
    asked = read_spec(arguments)
    reporter = Reporter.of(arguments)
    with results_folder(arguments.out, "advise") as out:
        _advise(reporter, asked, out, arguments.json)
    return 0


def _advise(reporter: Reporter, asked: Spec, out: Path, as_json: bool) -> None:
    from holdfast.report.advice_page import advice_page
    from holdfast.report.page import write_report

    announce_inferences(reporter, [asked])
    with reporter.show_work(), threadpool_limits(1, "blas"):
        advice = advise(asked)
    words = shlex.join(["holdfast", "run", *format_flags(_recommend(asked, advice))])
    results = json.dumps(advice.to_json() | {"command": words}, allow_nan=False)
    title = f"{data_name(asked.data)}, {asked.partition_text}, {asked.workers} workers, {asked.q} Byzantine: advice"
    write_report(out, advice_page(advice, title, words), results, names=("advice.html", "advice.json"))
    if as_json:
        print(results)
    _print(reporter, advice)
    reporter.say(f"page: {out / 'advice.html'}")
    reporter.say(words)


def _recommend(asked: Spec, advice: Advice) -> Spec:
    """Return the spec with the recommended norm, lambda and alpha, and an attack if workers are Byzantine."""
    found = advice.spec.method
    assert isinstance(found, Rsa)  # the advice is about RSA
    attack = SignFlip() if asked.attack is None and asked.q else asked.attack
    return replace(asked, attack=attack, method=Rsa(norm=found.norm, penalty=found.penalty), rate=advice.spec.rate)


def _print(reporter: Reporter, advice: Advice) -> None:
    from holdfast.report.advice_page import CAVEAT, guarantees, norm_table, recommendations
    from holdfast.report.page import Facts

    told = advice.explain()
    reporter.say(told.pop("workers"))
    reporter.print_table(norm_table(advice).terminal("norms"))
    promised = Facts({**guarantees(advice).sentences, **told})
    for title, facts in (("recommended", recommendations(advice)), ("promised", promised)):
        reporter.print_table(facts.terminal(title))
        reporter.say("")
    reporter.say(CAVEAT)
