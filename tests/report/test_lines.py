"""Lines are told apart by name wherever they end, and axes show what can be told apart."""

from typing import Any

from holdfast.problems import LeastSquares
from holdfast.report.axes import Axis, score_axis
from holdfast.report.colours import strokes
from holdfast.report.line_charts import line_panel


def texts(ends: dict[str, int]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows that name the lines, by whether they stand at the right or where their lines end."""
    rows = [
        {"method": name, "round": k, "accuracy": 0.5} for name, last in ends.items() for k in range(0, last + 1, 10)
    ]
    axis = Axis("", 0.0, 1.0)
    panel = line_panel(rows, x="round", y="accuracy", series="method", look=strokes(ends), axis=axis)
    found: dict[str, list[dict[str, Any]]] = {"right": [], "early": []}
    chart = panel.chart.to_dict()
    for layer in chart["layer"]:
        if layer["mark"]["type"] == "text" and layer["mark"].get("stroke") is None:
            named = chart["datasets"][layer["data"]["name"]]
            found["early" if "round" in named[0] else "right"] += named
    return found


def test_a_line_that_ends_early_is_named_where_it_ends() -> None:
    found = texts({"rsa": 100, "sgd": 20, "mean": 90})
    assert [each["name"] for each in found["right"]] == ["rsa"]
    assert {each["name"]: (each["round"], each["inwards"]) for each in found["early"]} == {
        "sgd": (20, False),
        "mean": (90, True),
    }
    one, two = (each["to"] for each in found["early"])
    assert abs(one - two) >= 13, "names do not overlap"


def test_where_all_lines_end_together_all_names_are_at_the_right() -> None:
    found = texts({"rsa": 100, "sgd": 100})
    assert len(found["right"]) == 2
    assert found["early"] == []


def test_a_broken_regression_does_not_flatten_all_others() -> None:
    axis = score_axis(LeastSquares.score, [0.48, 0.46, -5e14], [0.5])
    assert -2 < axis.low < -1
    assert 0.5 < axis.high < 1
