"""The paper's adjectives in numbers, fixed once for all claims.

Accuracies are final test accuracies; a difference is between means over the seeds.
"""

from dataclasses import dataclass

from holdfast.studies.paper.findings import CurveFindings

SAME = 0.01
"""Accuracies that differ by no more are "almost the same"."""
NEAR = 0.02
"""Accuracies that differ by no more are "close" or "similar"; by more, one is "significantly" or "remarkably" worse."""
SLIGHT = 0.05
"""What is "slightly" worse is worse by no more."""
SLIGHTLY_SLOWER = 1.25
"""What is "slightly slower" takes more time, by no more than this factor."""
FAILURE = 0.5
"""A method "fails" if it ends below this share of the best possible accuracy."""
OPTIMAL = 0.9
"""A method is "near-optimal" if it ends above this share of the best possible accuracy."""

CLOSE_TEXT = f"mean accuracies differ by at most {NEAR}"
SAME_TEXT = f"mean accuracies differ by at most {SAME}"
BETTER_TEXT = "the worst seed of the one is above the best seed of the other"
CLEARLY_TEXT = f"{BETTER_TEXT}, and the means differ by more than {NEAR}"
FAILS_TEXT = f"mean accuracy below {FAILURE} of the best possible"


@dataclass(frozen=True)
class Check:
    """One comparison."""

    passed: bool
    measured: tuple[str, ...]
    """What was compared, with its spread."""
    why: str


def shown(curve: CurveFindings) -> str:
    """Return the accuracy of a curve with its spread: mean [least, most]."""
    least, most = min(curve.accuracies), max(curve.accuracies)
    spread = f" [{least:.3f}, {most:.3f}]" if len(curve.accuracies) > 1 else ""
    return f"{curve.curve.label} {curve.accuracy:.3f}{spread}"


def _pair(a: CurveFindings, b: CurveFindings, where: str) -> tuple[str, str]:
    return f"{_where(where)}{shown(a)}", f"{_where(where)}{shown(b)}"


def _where(where: str) -> str:
    return f"{where}: " if where else ""


def within(a: CurveFindings, b: CurveFindings, most: float, where: str = "") -> Check:
    """Their mean accuracies differ by at most so much."""
    gap = abs(a.accuracy - b.accuracy)
    return Check(
        gap <= most,
        _pair(a, b, where),
        f"{_where(where)}{a.curve.label} and {b.curve.label} differ by {gap:.3f}",
    )


def better(a: CurveFindings, b: CurveFindings, where: str = "", by: float = 0.0) -> Check:
    """Every seed of a ends above every seed of b, and the means differ by more than `by`."""
    disjoint, gap = min(a.accuracies) > max(b.accuracies), a.accuracy - b.accuracy
    told = f"{abs(gap):.3f} {'above' if gap >= 0 else 'below'}"
    overlap = "" if disjoint or gap < 0 else ", their seeds overlap"
    return Check(
        disjoint and gap > by,
        _pair(a, b, where),
        f"{_where(where)}{a.curve.label} ends {told} {b.curve.label}{overlap}",
    )


def slightly_worse(a: CurveFindings, b: CurveFindings, where: str = "") -> Check:
    """a ends below b in the mean, by at most `SLIGHT`."""
    gap = b.accuracy - a.accuracy
    return Check(
        0 < gap <= SLIGHT,
        _pair(a, b, where),
        f"{_where(where)}{a.curve.label} ends {abs(gap):.3f} {'below' if gap > 0 else 'above'} {b.curve.label}",
    )


def fails(curve: CurveFindings, where: str = "") -> Check:
    """It ends below half of the best possible accuracy."""
    share = curve.accuracy / best_possible(curve)
    return Check(
        share < FAILURE,
        (f"{_where(where)}{shown(curve)}",),
        f"{_where(where)}{curve.curve.label} reaches {share:.2f} of the best possible {best_possible(curve):.2f}",
    )


def near_optimal(curve: CurveFindings, where: str = "") -> Check:
    """It ends above nine tenths of the best possible accuracy."""
    share = curve.accuracy / best_possible(curve)
    return Check(
        share > OPTIMAL,
        (f"{_where(where)}{shown(curve)}",),
        f"{_where(where)}{curve.curve.label} reaches {share:.2f} of the best possible {best_possible(curve):.2f}",
    )


def best_possible(curve: CurveFindings) -> float:
    """Return the accuracy that no method can exceed."""
    return 1.0 if curve.ceiling is None else curve.ceiling


def slower(a: CurveFindings, b: CurveFindings, most: float = float("inf")) -> Check:
    """An iteration of a takes longer than one of b, by a factor of at most `most`."""
    ratio = a.milliseconds / b.milliseconds
    return Check(
        1 < ratio <= most,
        tuple(f"{curve.curve.label} {curve.milliseconds:.3f} ms an iteration" for curve in (a, b)),
        f"{a.curve.label} takes {ratio:.2f} times {b.curve.label}'s time",
    )


def wider(a: CurveFindings, b: CurveFindings, where: str = "") -> Check:
    """The honest workers' final models vary more in every run of a than in any of b."""
    more, less = variances(a), variances(b)
    return Check(
        min(more) > max(less),
        tuple(
            f"{_where(where)}{curve.curve.label} varies by {_mean(found):.3g} [{min(found):.3g}, {max(found):.3g}]"
            for curve, found in ((a, more), (b, less))
        ),
        f"{_where(where)}the variance of {a.curve.label} is {_mean(more) / max(_mean(less), 1e-300):.2g} times "
        f"that of {b.curve.label}",
    )


def variances(curve: CurveFindings) -> list[float]:
    """Return the final variance of the honest workers' models with each seed; infinite where a run diverged."""
    return [float("inf") if record.last is None else record.last.variance for record in curve.records]


def _mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers)
