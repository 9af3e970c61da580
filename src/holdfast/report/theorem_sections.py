"""The theorems in numbers: sections of a reproduction that compare what was measured with the bounds."""

import numpy as np

from holdfast.report.axes import Axis
from holdfast.report.colours import DASHES, RSA, SOLID, WIDE, Stroke
from holdfast.report.drawing import Drawing, Row
from holdfast.report.line_charts import line_panel
from holdfast.report.reproduction_page import Section
from holdfast.report.text_table import TextTable
from holdfast.studies.paper.theory_numbers import Theorems
from holdfast.theory.numbers import HONEST, MARGIN, Curve, Gaps

MEASURED, BOUND = "measured", "bound"
ROUNDING = 1e-9
"""Tolerance of measured / bound, which is 1 before the first round."""
POINTS = 120
"""Points of a curve that are drawn, evenly on a logarithmic axis."""
STROKES = {MEASURED: Stroke(RSA, SOLID, WIDE), BOUND: Stroke("soft", DASHES[0])}
SETTING = (
    f"Least squares with an l2 prior, {HONEST} honest workers with data of their own, lambda = {MARGIN} lambda_0 of "
    "the l1 norm. Byzantine workers know the optimum and push the master away from it."
)
COMMAND = "holdfast reproduce theory"


def theory_sections(measured: Theorems) -> list[Section]:
    """Return one section per experiment."""
    return [_convergence(measured.convergence), _averages(measured.averages), _gaps(measured.gaps)]


def _convergence(curve: Curve) -> Section:
    return Section(
        name="theorem-2",
        title="Theorem 2: the error of all models, with its step size",
        place="Convergence Analysis, Theorem 2",
        says="With steps that fall as 1/k, the expected squared distance of all models from the optimum falls to a gap "
        f"that grows with the square of the number of Byzantine workers. {SETTING}",
        chart=_bound_chart("theorem-2", curve, "E |x^k - x*|^2"),
        numbers=_numbers(curve),
        command=COMMAND,
    )


def _averages(curve: Curve) -> Section:
    return Section(
        name="theorem-sqrt",
        title="The supplement's theorem: the cost of the running average, with steps that fall as 1/sqrt(k)",
        place="Supplementary document, O(1/sqrt k) step size",
        says=f"The cost of the running average falls as log k / sqrt k, to a gap. {SETTING}",
        chart=_bound_chart("theorem-sqrt", curve, "h_p(average) - h_p(x*)"),
        numbers=_numbers(curve),
        command=COMMAND,
    )


def _gaps(found: Gaps) -> Section:
    rows = [
        (str(q), f"{measured:.4g}", f"{bound:.4g}")
        for q, measured, bound in zip(found.byzantine, found.measured, found.bound, strict=True)
    ]
    return Section(
        name="gap",
        title="The gap that remains, over the number of Byzantine workers",
        place="Convergence Analysis, after Theorem 2",
        says=f"The asymptotic gap depends quadratically on q. {SETTING} Measured, it grows as q to the power "
        f"{found.exponent:.2f}; the bound as its square.",
        chart=_gap_chart("gap", found),
        numbers=TextTable(("q", "measured", "bound"), rows),
        command=COMMAND,
    )


def _numbers(curve: Curve) -> TextTable:
    shares = [mean / bound for mean, bound in zip(curve.mean, curve.bound, strict=True)]
    rows = (
        ("rounds", str(curve.rounds[-1])),
        ("measured at the end", f"{curve.mean[-1]:.3g}"),
        ("bound at the end", f"{curve.bound[-1]:.3g}"),
        ("largest measured / bound over all rounds", f"{max(shares):.3g}"),
        ("the bound holds at every round", "yes" if max(shares) <= 1 + ROUNDING else "NO"),
        ("farthest model / radius that the constants suppose", f"{curve.farthest:.3g}"),
    )
    return TextTable(("", "value"), rows)


def _bound_chart(name: str, curve: Curve, title: str) -> Drawing:
    """Return mean and band of the seeds beside the bound, both axes logarithmic."""
    rows: list[Row] = []
    shown = {int(k) for k in np.geomspace(1, curve.rounds[-1], POINTS)}
    for place, k in enumerate(curve.rounds):
        if k in shown or (k > 0 and len(curve.rounds) <= POINTS):
            spread = {"mean": curve.mean[place], "least": curve.least[place], "most": curve.largest[place]}
            rows.append({"what": MEASURED, "round k": k} | spread)
            rows.append({"what": BOUND, "round k": k, "mean": curve.bound[place]})
    return _chart(name, rows, "round k", title, ("least", "most"))


def _gap_chart(name: str, found: Gaps) -> Drawing:
    rows = [
        {"what": what, "number of Byzantine workers q": q, "mean": value}
        for what, values in ((MEASURED, found.measured), (BOUND, found.bound))
        for q, value in zip(found.byzantine, values, strict=True)
    ]
    return _chart(name, rows, "number of Byzantine workers q", "E |x^k - x*|^2 at the end", None)


def _chart(name: str, rows: list[Row], across: str, title: str, band: tuple[str, str] | None) -> Drawing:
    values = [value for row in rows for key in ("mean", *(band or ())) if (value := row.get(key))]
    places = [row[across] for row in rows]
    panel = line_panel(
        rows,
        x=across,
        y="mean",
        series="what",
        look=STROKES,
        axis=Axis(title, min(values) / 2, max(values) * 2, logarithmic=True),
        x_axis=Axis(across, min(places), max(places), logarithmic=True),
        band=band,
        height=260,
    )
    return Drawing(name, (panel,), "Band: from the least to the most of the seeds." if band else "", columns=1)
