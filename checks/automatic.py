"""How lambda and alpha by rule compare with those tuned by hand: the tables of docs/automatic.md.

python checks/automatic.py mnist            # the paper's nine settings against its own tuning, three seeds
python checks/automatic.py digits           # settings with 8 Byzantine workers against the best of a grid, one seed
"""

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice, product
from unittest import mock

from holdfast import Result, Spec
from holdfast.methods import Rsa
from holdfast.runs import auto as rule
from holdfast.runs import survey
from holdfast.runs.plan import fill_defaults
from holdfast.runs.spec_parts import require_number
from holdfast.studies.comparison import compare

SEEDS = (0, 1, 2)
_UNDER_4 = Spec(method="rsa:norm=1,penalty=0.07", byzantine=4, attack="same-value", rate=0.001, eval_every=5000)
_UNDER_8 = replace(_UNDER_4, byzantine=8)
_BY_LABEL = replace(_UNDER_4, attack="duplicate", partition="by-label", method="rsa:norm=1,penalty=0.5", rate=0.0005)

PAPER = {
    "no attack": Spec(method="rsa:norm=1,penalty=0.1", rate=0.003, eval_every=5000),
    "same-value, q = 4": _UNDER_4,
    "same-value, q = 8": _UNDER_8,
    "sign-flip, q = 4": replace(_UNDER_4, attack="sign-flip"),
    "sign-flip, q = 8": replace(_UNDER_8, attack="sign-flip", method="rsa:norm=1,penalty=0.01", rate=0.0003),
    "gaussian, q = 4": replace(_UNDER_4, attack="gaussian", rate=0.002),
    "gaussian, q = 8": replace(_UNDER_8, attack="gaussian", rate=0.002),
    "by label, duplicate, q = 4": _BY_LABEL,
    "by label, duplicate, q = 8": replace(_BY_LABEL, byzantine=8),
}
"""The settings of the paper's figures with l1-RSA, and how it tunes lambda and alpha for each."""

PENALTIES, RATES = (0.01, 0.03, 0.1, 0.5), (0.0003, 0.001, 0.003)
"""The grid that stands for tuning by hand on other data."""


def automatic(spec: Spec) -> Spec:
    """Return the spec with both numbers left to the rule."""
    return replace(spec, method=Rsa(norm=1.0), rate="auto")


def penalty_of(result: Result) -> float:
    """Return the lambda that a run was made with."""
    method = result.spec.method
    assert isinstance(method, Rsa)
    assert isinstance(method.penalty, float)
    return method.penalty


def accuracy(result: Result) -> float:
    """Return the final accuracy; 0 if the run diverged."""
    return result.accuracy or 0.0


def chosen(results: Sequence[Result]) -> str:
    """Return the numbers that runs were made with, from least to most."""
    rates = [require_number(result.spec.rate) for result in results]
    return f"{_span([penalty_of(result) for result in results])} | {_span(rates)}"


def _span(values: Sequence[float]) -> str:
    return f"{min(values):g}" if min(values) == max(values) else f"{min(values):g} to {max(values):g}"


def against_the_paper(jobs: int | None = None) -> dict[str, tuple[list[Result], list[Result]]]:
    """Return the runs of each setting, tuned as in the paper and by rule, a seed each."""
    tuned = [replace(spec, seed=seed) for spec in PAPER.values() for seed in SEEDS]
    found = compare([*tuned, *map(automatic, tuned)], jobs)
    n, rows = len(SEEDS), enumerate(PAPER)
    return {name: (found[n * i : n * (i + 1)], found[len(tuned) + n * i :][:n]) for i, name in rows}


def against_a_grid(data: str, jobs: int | None = None) -> dict[str, tuple[Result, Result]]:
    """Return, for no attack and each with 8 Byzantine workers, the best run of the grid and the one by rule."""
    table = {}
    for name, paper in PAPER.items():
        if paper.q != 4:
            spec = replace(paper, data=data)
            grid = [
                replace(spec, method=Rsa(norm=1.0, penalty=penalty), rate=rate)
                for penalty, rate in product(PENALTIES, RATES)
            ]
            *tuned, ours = compare([*grid, automatic(spec)], jobs)
            table[name] = max(tuned, key=accuracy), ours
    return table


VARIANTS: dict[str, tuple[dict[str, float], float]] = {
    "as it is": ({}, 1),
    "share 1/6": ({"SHARE": 1 / 6}, 1),
    "share 1/2": ({"SHARE": 1 / 2}, 1),
    "32 steps": ({"STEPS": 32}, 1),
    "128 steps": ({"STEPS": 128}, 1),
    "batches of 32": ({"BATCH": 32}, 1),
    "batches of 512": ({"BATCH": 512}, 1),
    "alpha / 2": ({}, 1 / 2),
    "alpha * 2": ({}, 2),
}
"""Other constants, and a factor on the rate that is found."""
DELICATE = ("no attack", "sign-flip, q = 8", "by label, duplicate, q = 8")


def varied(spec: Spec, constants: dict[str, float], factor: float) -> Spec:
    """Return the spec with what the rule finds with these constants."""
    with ExitStack() as changed:
        for name, value in constants.items():
            for module in (survey, rule):
                if hasattr(module, name):
                    changed.enter_context(mock.patch.object(module, name, value))
        found = rule.resolve_auto(fill_defaults(automatic(spec)))
    assert isinstance(found.rate, float)
    return replace(found, rate=found.rate * factor)


def sensitivity(jobs: int | None) -> None:
    print("| constant | " + " | ".join(DELICATE) + " |\n|---|---|---|---|")
    specs = [varied(PAPER[name], *variant) for variant in VARIANTS.values() for name in DELICATE]
    results = iter(compare(specs, jobs))
    for label in VARIANTS:
        cells = [f"{accuracy(ended):.4f} ({penalty_of(ended):g})" for ended in islice(results, len(DELICATE))]
        print(f"| {label} | {' | '.join(cells)} |")


def main(data: str, jobs: int | None) -> None:
    print("| setting | lambda | alpha | by rule | tuned by hand | difference of means |\n|---|---|---|---|---|---|")
    pairs: dict[str, tuple[Sequence[Result], Sequence[Result]]]
    if data == "mnist":
        pairs = dict(against_the_paper(jobs))
    else:
        pairs = {name: ([best], [ours]) for name, (best, ours) in against_a_grid(data, jobs).items()}
    for name, (tuned, ours) in pairs.items():
        both = [[accuracy(result) for result in results] for results in (ours, tuned)]
        rule, hand = (" ".join(f"{value:.4f}" for value in values) for values in both)
        difference = sum(both[0]) / len(ours) - sum(both[1]) / len(tuned)
        print(f"| {name} | {chosen(ours)} | {rule} | {hand} | {difference:+.4f} |")


if __name__ == "__main__":
    asked, processes = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None
    sensitivity(processes) if asked == "sensitivity" else main(asked, processes)
