"""Claims about the weight of the penalty, lambda."""

from collections.abc import Callable

from holdfast.runs.spec_parts import require_number
from holdfast.studies.paper.claims.claim import Claim, View
from holdfast.studies.paper.claims.criteria import CLEARLY_TEXT, NEAR, Check, better, wider
from holdfast.studies.paper.findings import CurveFindings

PLACE = "Impact of hyper-parameter lambda"
PANEL = "q = 8"
EARLY = 5
"""The share of the rounds, one in so many, after which "slow" is judged."""


def _best(view: View) -> CurveFindings:
    return max(view.all("lambda", PANEL), key=lambda curve: curve.accuracy)


def _smallest(view: View) -> CurveFindings:
    return min(view.all("lambda", PANEL), key=_penalty)


def _largest(view: View) -> CurveFindings:
    return max(view.all("lambda", PANEL), key=_penalty)


def _penalty(curve: CurveFindings) -> float:
    return require_number(curve.curve.spec.method.penalty)


def _slow(view: View) -> list[Check]:
    small, best = _smallest(view), _best(view)
    slow, quick = _early(small), _early(best)
    return [
        Check(
            quick - slow > NEAR,
            (f"early: lambda {small.curve.label} {slow:.3f}", f"early: lambda {best.curve.label} {quick:.3f}"),
            f"after a fifth of the rounds lambda {small.curve.label} is {quick - slow:.3f} behind",
        )
    ]


def _early(curve: CurveFindings) -> float:
    """Return the mean accuracy at the first evaluation after a fifth of the rounds."""
    seen = [
        next(point.accuracy for point in record.history if point.round * EARLY >= record.spec.rounds) or 0.0
        for record in curve.records
        if record.last is not None
    ]
    return sum(seen) / len(curve.records)


def _wrong(end: Callable[[View], CurveFindings]) -> Callable[[View], list[Check]]:
    return lambda view: [better(_best(view), end(view), "lambda", NEAR)]


def _below_lambda0(view: View) -> list[Check]:
    best, asked = _best(view), view.lambda0["l1"]
    return [
        Check(
            _penalty(best) < asked,
            (f"best lambda {best.curve.label}", f"lambda_0 {asked:.3g}"),
            f"the best lambda is {_penalty(best) / asked:.2g} times lambda_0",
        )
    ]


CLAIMS = (
    Claim(
        "lambda: a small one is slow",
        ("lambda",),
        PLACE,
        "With a small lambda, information spreads slowly and so does convergence.",
        f"after a fifth of the rounds the smallest lambda is more than {NEAR} behind the finally best one",
        _slow,
    ),
    Claim(
        "lambda: a small one keeps workers apart",
        ("lambda",),
        PLACE,
        "With a small lambda, an honest worker relies on its own data.",
        "the workers' final models vary more with the smallest lambda than with the best one, seed by seed",
        lambda view: [wider(_smallest(view), _best(view), "lambda")],
    ),
    Claim(
        "lambda: a small one ends far from the best",
        ("lambda",),
        PLACE,
        "With a small lambda, the final error is large.",
        f"of the best and the smallest lambda: {CLEARLY_TEXT}",
        _wrong(_smallest),
    ),
    Claim(
        "lambda: a large one ends far from the best",
        ("lambda",),
        PLACE,
        "With a large lambda, the final error is large as well.",
        f"of the best and the largest lambda: {CLEARLY_TEXT}",
        _wrong(_largest),
    ),
    Claim(
        "remark 2: a lambda below lambda_0 is best",
        ("lambda", "theory"),
        "Remark 2 (optimal selection of lambda and p)",
        "A lambda somewhat smaller than lambda_0 is to be recommended.",
        "the best lambda of the figure is smaller than lambda_0 of Theorem 1 for l1, without attack",
        _below_lambda0,
    ),
)
