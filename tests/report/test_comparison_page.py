"""The page needs nothing but itself, and says what the results say."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from typing import Any

import pytest
from rich.console import Console

from holdfast.attacks import SignFlip
from holdfast.report.comparison_page import comparison_page
from holdfast.report.comparison_tables import result_text, terminal_tables
from holdfast.runs.records import Result
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.studies.study import grid

METHODS = ["ideal-sgd", "rsa", "sgd"]
ATTACKS = ["none", "infinite", "sign-flip:factor=-2"]
PARTITIONS = ["iid", "by-label"]
BASE = Spec(data="digits", workers=10, byzantine=3, rounds=6, eval_every=2)


@dataclass
class Page(HTMLParser):
    """What a browser would find."""

    text: str
    addresses: list[str] = field(default_factory=list)
    scripts: list[tuple[str | None, str]] = field(default_factory=list)
    tables: list[list[list[str]]] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    styles: str = ""
    open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.feed(self.text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "data", "poster")]
        if tag not in ("meta", "br", "link"):
            self.open.append(tag)
        if tag == "script":
            self.scripts.append((dict(attrs).get("type"), ""))
        if tag in ("h1", "h2") or ("class", "kind") in attrs:
            self.headings.append("")
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        where = self.open[-1] if self.open else ""
        if where == "script":
            kind, content = self.scripts[-1]
            self.scripts[-1] = kind, content + data
        elif {"td", "th"} & set(self.open):
            self.tables[-1][-1][-1] += data
        elif where in ("h1", "h2") or (where == "p" and len(self.headings) == 1 and not self.headings[0]):
            self.headings[-1] += data
        elif where == "style":
            self.styles += data

    @property
    def charts(self) -> list[Any]:
        return [json.loads(content) for kind, content in self.scripts if kind == "application/json"]


@pytest.fixture(scope="module")
def results() -> list[Result]:
    return [run(spec) for spec in grid(BASE, METHODS, ATTACKS, PARTITIONS)]


@pytest.fixture(scope="module")
def shown(results: list[Result]) -> Page:
    return Page(comparison_page("All & everything", results).html())


def test_the_page_loads_nothing(shown: Page) -> None:
    assert all(address.startswith("#") for address in shown.addresses)
    assert "@import" not in shown.styles
    assert "url(" not in shown.styles
    assert shown.text.startswith("<!doctype html>")
    assert shown.open == [], "every element is closed"


def test_the_scripts_that_draw_are_inside(shown: Page) -> None:
    (drawing,) = [content for kind, content in shown.scripts if kind != "application/json"]
    assert "vegaEmbed" in drawing or "vega" in drawing
    assert len(drawing) > 100_000
    assert not re.search(r"""import\s*\(?\s*["']https?:""", drawing)


def test_there_is_one_chart_a_partition_with_every_point(shown: Page, results: list[Result]) -> None:
    names = [chart["name"] for chart in shown.charts]
    assert names == ["worst-iid", "curves-iid", "worst-by-label", "curves-by-label", "who-holds-what"]
    for partition, chart in zip(PARTITIONS, shown.charts[1:-1:2], strict=True):
        assert len(chart["panels"]) == len(ATTACKS)
        points = {(p["method"], p["attack"], p["round"]): p["accuracy"] for p in points_of(chart)}
        assert points == {
            (result.spec.method_name, result.spec.attack_text, evaluation.round): evaluation.accuracy
            for result in results
            if result.spec.partition_text == partition
            for evaluation in result.history
        }


def points_of(chart: Any) -> list[Any]:
    """Return the data of all panels of a chart."""
    return [row for panel in chart["panels"] for row in panel["rows"]]


def test_there_is_one_table_a_partition_with_every_value(shown: Page, results: list[Result]) -> None:
    for partition, (head, *rows) in zip(PARTITIONS, shown.tables[::2], strict=True):
        assert [name for name in head if name in METHODS] == METHODS
        assert [row[0] for row in rows] == ATTACKS
        for row in rows:
            by_column = dict(zip(head, row, strict=True))
            for method in METHODS:
                (result,) = [r for r in results if named(r) == (partition, row[0], method)]
                assert by_column[method] == result_text(result)


def test_settings_say_to_which_attacks_they_belong(shown: Page) -> None:
    for _, *rows in shown.tables[1::2]:
        told = [(method, attack) for method, attacks, *_ in rows for attack in attacks.split(", ")]
        assert sorted(told) == sorted((method, attack) for method in METHODS for attack in ATTACKS)
        assert all(f"--method {method}" in flags for method, _, flags, _ in rows)


def named(result: Result) -> tuple[str, str, str]:
    return result.spec.partition_text, result.spec.attack_text, result.spec.method_name


def test_headings_name_title_data_and_partition(shown: Page) -> None:
    title, headline, *sections, last = shown.headings
    assert title == "All & everything"
    assert headline.endswith(".")
    assert last == "Who holds what"
    for partition, heading in zip(PARTITIONS, sections, strict=True):
        assert partition in heading
        assert "digits" in heading
        assert "10 workers" in heading
        assert "3 of them Byzantine" in heading


def test_what_diverged_says_so(shown: Page, results: list[Result]) -> None:
    assert {result_text(result) for result in results if named(result)[1:] == ("infinite", "sgd")} == {"diverged"}
    flat = [text for table in shown.tables for row in table for text in row]
    assert flat.count("diverged") == 2
    assert "sgd diverged" in shown.text
    assert not any(text.lower() in ("nan", "inf", "none", "null") for text in flat if text != "none")


def test_names_cannot_break_out_of_the_page(results: list[Result]) -> None:
    evil = "</script><script>alert(\"1\")</script><b title='x'>&amp;"
    attack = type("Evil", (SignFlip,), {"__qualname__": evil, "__module__": "own"})()
    marked = [
        replace(result, spec=replace(result.spec, attack=attack, data=evil, byzantine=3), asked=None)
        for result in results
        if named(result)[:2] == ("iid", "sign-flip:factor=-2")
    ]
    shown = Page(comparison_page(evil, marked).html())
    assert [kind for kind, _ in shown.scripts] == ["application/json", "application/json", "module"]
    assert shown.headings[0] == evil
    assert evil in shown.headings[1]
    assert shown.tables[0][1][0] == f"own:{evil}"
    assert {point["attack"] for point in points_of(shown.charts[0])} == {f"own:{evil}"}


def test_results_need_not_fill_the_grid(results: list[Result]) -> None:
    some = [result for result in results if named(result) in (("iid", "none", "rsa"), ("iid", "infinite", "ideal-sgd"))]
    assert len(some) == 2
    flat = [text for row in Page(comparison_page("some", some).html()).tables[0] for text in row]
    assert {result_text(result) for result in some} <= set(flat)
    printed = as_text(some)
    assert all(result_text(result) in printed for result in some)


def as_text(results: Sequence[Result]) -> str:
    console = Console(width=200)
    with console.capture() as capture:
        for table in terminal_tables(results):
            console.print(table)
    return capture.get()


def test_the_tables_of_a_terminal_hold_the_same(results: list[Result]) -> None:
    printed = as_text(results)
    for result in results:
        partition, attack, method = named(result)
        assert attack in printed
        assert partition in printed
        assert all(part in printed for part in method.split("-"))
        assert result_text(result) in printed


def test_cells() -> None:
    rsa = run(replace(BASE, rounds=2))
    assert rsa.accuracy is not None
    assert result_text(rsa) == f"{rsa.accuracy:.3f}"
    assert result_text(replace(rsa, diverged=2)) == "diverged"
    squares = run(replace(BASE, rounds=2, problem="least-squares", rate=1e-9))
    assert squares.last is not None
    assert result_text(squares) == f"{squares.last.metrics['r2']:.3g}"
