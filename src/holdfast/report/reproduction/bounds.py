"""The theorems in numbers: what was measured against what they promise, as sections of the report."""

from collections.abc import Sequence

import altair as alt
import numpy as np

from holdfast.report.colours import GREY, RSA, SOLID, Stroke, colour_and_dash
from holdfast.report.pictures import Chart
from holdfast.report.reproduction.curves import DECADES
from holdfast.report.reproduction.outline import Section
from holdfast.report.reproduction.summaries import Grid
from holdfast.reproduction.bounds import Theorems
from holdfast.theory.numbers import HONEST, MARGIN, Curve, Gaps

MEASURED, BOUND = "measured", "bound"
LOGARITHMIC = alt.Scale(type="log", nice=False)
POINTS = 120
"""Of a curve that are drawn, evenly on a logarithmic axis."""
STROKES = {MEASURED: Stroke(RSA, SOLID), BOUND: Stroke(GREY, SOLID)}
SETTING = (
    f"Least squares with an l2 prior, {HONEST} honest workers with data of their own, lambda = {MARGIN} lambda_0 of "
    "the l1 norm; Byzantine workers know the optimum and push the master away from it."
)
COMMAND = "holdfast reproduce theory"


def theory_sections(measured: Theorems) -> list[Section]:
    """Return what the experiments show."""
    return [_convergence(measured.convergence), _averages(measured.averages), _gaps(measured.gaps)]


def _convergence(curve: Curve) -> Section:
    return Section(
        name="theorem-2",
        title="Theorem 2: the error of all models, with its step size",
        place="Convergence Analysis, eqs. theorem2_new_2-main and theorem2_10-main",
        says="With steps that fall as 1/k, the expected squared distance of all models from the optimum falls to a gap "
        f"that grows with the square of the number of Byzantine workers. {SETTING}",
        chart=_against(curve, "E |x^k - x*|^2"),
        numbers=_numbers(curve),
        command=COMMAND,
    )


def _averages(curve: Curve) -> Section:
    return Section(
        name="theorem-sqrt",
        title="The supplement's theorem: the cost of the running average, with steps that fall as 1/sqrt(k)",
        place="Supplementary document, O(1/sqrt k) step size",
        says=f"The cost of the running average comes down at the rate of log k / sqrt k, to a gap. {SETTING}",
        chart=_against(curve, "h_p(average) - h_p(x*)"),
        numbers=_numbers(curve),
        command=COMMAND,
    )


def _gaps(found: Gaps) -> Section:
    rows = [
        (str(q), f"{measured:.3g}", f"{bound:.3g}")
        for q, measured, bound in zip(found.byzantine, found.measured, found.bound, strict=True)
    ]
    return Section(
        name="gap",
        title="The gap that remains, over the number of Byzantine workers",
        place="Convergence Analysis, after Theorem 2",
        says=f"The asymptotic gap depends quadratically on q. {SETTING} Measured, it grows as q to the power "
        f"{found.slope:.2f}; the bound as its square.",
        chart=_gap_chart(found),
        numbers=Grid(("q", "measured", "bound"), tuple(rows)),
        command=COMMAND,
    )


def _numbers(curve: Curve) -> Grid:
    shares = [mean / bound for mean, bound in zip(curve.mean, curve.bound, strict=True)]
    rows = (
        ("rounds", str(curve.rounds[-1])),
        ("measured at the end", f"{curve.mean[-1]:.3g}"),
        ("bound at the end", f"{curve.bound[-1]:.3g}"),
        ("largest measured / bound over all rounds", f"{max(shares):.3g}"),
        ("the bound holds at every round", "yes" if max(shares) <= 1 else "NO"),
        ("farthest model / radius that the constants suppose", f"{curve.farthest:.3g}"),
    )
    return Grid(("", "value"), rows)


def _against(curve: Curve, title: str) -> Chart:
    """Return mean and band of the seeds below the bound, both axes logarithmic."""
    points: list[dict[str, object]] = []
    shown = {int(k) for k in np.geomspace(1, curve.rounds[-1], POINTS)}
    for place, k in enumerate(curve.rounds):
        if k in shown or (k > 0 and len(curve.rounds) <= POINTS):
            spread = {"mean": curve.mean[place], "least": curve.least[place], "most": curve.largest[place]}
            points.append({"k": k, "what": MEASURED, **spread})
            points.append({"k": k, "what": BOUND, "mean": curve.bound[place]})
    x = alt.X("k:Q", title="round k", scale=LOGARITHMIC, axis=alt.Axis(values=DECADES))
    return _lines(points, x, title, ["k:Q"])


def _gap_chart(found: Gaps) -> Chart:
    points = [
        {"q": q, "what": what, "mean": value}
        for what, values in ((MEASURED, found.measured), (BOUND, found.bound))
        for q, value in zip(found.byzantine, values, strict=True)
    ]
    x = alt.X("q:Q", title="number of Byzantine workers q", scale=LOGARITHMIC, axis=alt.Axis(values=found.byzantine))
    return _lines(points, x, "E |x^k - x*|^2 at the end", ["q:Q"])


def _lines(points: Sequence[dict[str, object]], x: alt.X, title: str, told: list[str]) -> Chart:
    y = alt.Y("mean:Q", title=title, scale=LOGARITHMIC, axis=alt.Axis(format=".0e", values=DECADES))
    colour, _ = colour_and_dash("what", STROKES)
    base = alt.Chart(alt.InlineData(values=list(points))).encode(x=x, color=colour)
    tip = ["what:N", *told, alt.Tooltip("mean:Q", format=".4g")]
    unseen = base.mark_point(size=120, opacity=0).encode(y=y, tooltip=tip)
    layers = [base.mark_line(strokeWidth=1.8).encode(y=y), unseen]
    if any("least" in point for point in points):
        layers.insert(0, base.mark_area(opacity=0.2).encode(y=alt.Y("least:Q"), y2="most:Q"))
    drawn: Chart = alt.layer(*layers).properties(width=420, height=260).to_dict()
    return drawn
