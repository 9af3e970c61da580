"""Every figure becomes a picture, and shows the numbers it was given."""

import json
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import vl_convert
from rich.console import Console

from holdfast.report.colours import strokes, variable
from holdfast.report.drawing import Drawing
from holdfast.report.figure_charts import figure_chart
from holdfast.report.figure_tables import heading, number_table, summary
from holdfast.runs.metrics import Evaluation
from holdfast.runs.records import Record
from holdfast.runs.spec import Spec
from holdfast.studies.paper.figures import NAMES, YARDSTICKS, figure
from holdfast.studies.paper.findings import Findings
from holdfast.studies.paper.rates import load_rates

SEEDS = (0, 1, 2)


def record(spec: Spec) -> Record:
    """Seeds 0, 1, 2 end at 0.5, 0.6, 0.7 and take 2, 4, 12 s; SGD diverges under an attack."""
    ended = 0.5 + spec.seed / 10
    history = tuple(Evaluation(k, ended * k / spec.rounds, 1.0, 0.01 * k, 1.0) for k in (spec.rounds // 2, spec.rounds))
    lost = spec.method_name == "sgd" and spec.attack is not None
    seconds = (1.0, 2.0, 6.0)[spec.seed]
    ceiling = 0.8 if spec.partition_text == "by-label" else 1.0
    return Record(spec, history[:1] if lost else history, spec.rounds, 7 if lost else None, ceiling, seconds, 0.1)


@cache
def findings_of(name: str) -> Findings:
    if name in YARDSTICKS:  # their rates are found by rule, for each seed
        return Findings.of(figure(name, load_rates(), data="digits"), SEEDS[:1], record)
    return Findings.of(figure(name, load_rates()), SEEDS, record)


def values(drawn: Drawing) -> list[Any]:
    """Return all data in a chart."""
    return [row for panel in drawn.panels for row in panel.rows]


def svg(findings: Findings) -> str:
    """Return the picture as SVG: a PNG of the same takes ten times as long."""
    return str(vl_convert.vegalite_to_svg(json.dumps(figure_chart(findings).picture())))


@pytest.mark.parametrize("name", ["runtime", "lambda", "heterogeneous"])  # bars, one line, several lines
def test_png_svg_and_pdf(name: str) -> None:
    made = dict(figure_chart(findings_of(name)).pictures(pdf=True))
    assert set(made) == {f"{name}.png", f"{name}.svg", f"{name}.pdf"}
    assert made[f"{name}.png"].startswith(b"\x89PNG\r\n\x1a\n")
    assert made[f"{name}.svg"].startswith(b"<svg")
    assert made[f"{name}.pdf"].startswith(b"%PDF-")


@pytest.mark.parametrize("name", [*NAMES, *YARDSTICKS])
def test_every_picture_names_its_curves(name: str) -> None:
    text = svg(findings_of(name))
    assert text.startswith("<svg")
    curves = [] if name == "lambda" else findings_of(name).panels[0].curves
    labels = [each.curve.label for each in curves if name == "runtime" or each.records[0].diverged is None]
    assert all(f">{label}</text>" in text for label in labels)
    assert "quick" not in text


def test_a_line_is_the_mean_of_the_seeds_between_their_extremes() -> None:
    rows = values(figure_chart(findings_of("gaussian")))
    (end,) = [row for row in rows if (row["panel"], row["curve"], row["iteration"]) == ("q = 8", "RSA", 5000)]
    assert end == {"panel": "q = 8", "curve": "RSA", "iteration": 5000,
                   "mean": pytest.approx(0.6), "min": 0.5, "max": 0.7}  # fmt: skip
    assert not [row for row in rows if (row["curve"], row["iteration"]) == ("SGD", 5000)], "it had diverged"


def test_what_is_possible_at_best_is_drawn_where_classes_are_lost() -> None:
    for name, drawn in (("heterogeneous", True), ("gaussian", False)):
        assert (">ceiling 0.8</text>" in svg(findings_of(name))) == drawn


def test_times_are_medians_of_the_repeats() -> None:
    rows = [row for row in values(figure_chart(findings_of("runtime"))) if row["curve"] == "RSA"]
    # 500 rounds in 1, 2 and 6 s: 4 ms each at the median, so 20 s for 5000
    assert [(row["median"], row["min"], row["max"]) for row in rows] == [(4, 2, 12), (20, 10, 60)]


def test_lambda_is_the_final_accuracy_over_the_penalty() -> None:
    rows = values(figure_chart(findings_of("lambda")))
    assert [row["lambda"] for row in rows] == [0.001, 0.003, 0.01, 0.03, 0.07, 0.1, 0.3, 1.0, 3.0, 10.0]
    assert [row["mean"] for row in rows] == [pytest.approx(0.6)] * 10


def test_norms_show_the_variance_on_a_logarithmic_axis() -> None:
    drawn = figure_chart(findings_of("norms"))
    assert len(drawn.panels) == 6
    for panel in drawn.panels[1::2]:
        assert panel.chart.to_dict()["layer"][1]["encoding"]["y"]["scale"]["type"] == "log"
    for half, value in ((drawn.panels[0::2], 0.6), (drawn.panels[1::2], 0.01 * 5000)):
        rows: list[Any] = [row for panel in half for row in panel.rows]
        assert [row["mean"] for row in rows if row["iteration"] == 5000] == [pytest.approx(value)] * 9


def scales(drawn: Drawing) -> list[dict[str, Any]]:
    """Return colours and dashes by label, as the lines have them."""
    line = drawn.panels[0].chart.to_dict()["layer"][1]["encoding"]
    colours, dashes = (line[channel]["scale"] for channel in ("color", "strokeDash"))
    return [dict(zip(each["domain"], each["range"], strict=True)) for each in (colours, dashes)]


def test_every_curve_is_drawn_as_its_method() -> None:
    colours, dashes = scales(figure_chart(findings_of("gaussian")))
    methods = {"Ideal SGD": "ideal-sgd", "RSA": "rsa", "GeoMed": "geometric-median", "Krum": "krum"}
    look = strokes([*methods.values(), "median", "sgd"])
    assert list(colours) == [*methods, "Median", "SGD"]
    assert {label: (colours[label], tuple(dashes[label])) for label in methods} == {
        label: (variable(look[method].colour), look[method].dash) for label, method in methods.items()
    }


def test_norms_of_rsa_have_different_colours_and_the_first_is_rsas() -> None:
    colours, _ = scales(figure_chart(findings_of("norms")))
    assert colours["l1"] == variable(strokes(["rsa"])["rsa"].colour)
    assert len(set(colours.values())) == 3


def test_a_quick_figure_is_marked_everywhere() -> None:
    quick = Findings.of(figure("gaussian", load_rates()).quick(), SEEDS[:1], record)
    assert "quick" in svg(quick)
    assert "QUICK" in heading(quick)
    assert summary([quick])[0]["quick"] is True


def shown(findings: Findings) -> str:
    console = Console(width=120)
    with console.capture() as capture:
        console.print(number_table(findings).terminal())
    return capture.get()


def test_tables_tell_mean_and_spread() -> None:
    rows = {line.split("  ")[1]: line for line in shown(findings_of("gaussian")).splitlines() if line.startswith("  ")}
    assert rows["RSA"].count("0.600 [0.500, 0.700]") == 2
    assert rows["SGD"].split()[1:] == ["diverged", "diverged"]
    times = [line.split() for line in shown(findings_of("runtime")).splitlines()]
    assert ["RSA", "4.000", "20.00"] in times


def test_a_seed_that_diverged_counts_0_and_is_told() -> None:
    def unlucky(spec: Spec) -> Record:
        return replace(record(spec), diverged=9) if spec.seed == 2 else record(spec)

    findings = Findings.of(figure("norms", load_rates()), SEEDS, unlucky)
    # (0.5 + 0.6 + 0) / 3 = 0.367
    assert "0.367 [0.000, 0.600], 1 diverged" in shown(findings)


def test_the_summary_is_strict_json() -> None:
    text = json.dumps(summary([findings_of(name) for name in (*NAMES, *YARDSTICKS)]), allow_nan=False)
    assert '"norm": "linf"' in text
