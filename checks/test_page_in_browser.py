"""Every page in a real browser: charts are drawn, tell their values and give their data; nothing overlaps."""

import csv
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra browser")

SMALL = ["--data", "digits", "--workers", "10", "--partition", "by-label", "--byzantine", "3"]
ATTACKED = [*SMALL, "--method", "rsa", "--attack", "sign-flip", "--rounds", "200", "--eval-every", "20"]
COMMANDS = {
    "run": [["run", *ATTACKED, "--out", "{}"], ["inspect", "{}"]],
    "compare": [
        [
            *("compare", *SMALL, "4", "--rounds", "200", "--eval-every", "20", "--out", "{}"),
            *("--method", "rsa", "krum", "nnm+trimmed-mean", "sgd", "--attack", "none", "gaussian", "infinite"),
        ]
    ],
    "arena": [
        [
            *("arena", "--data", "digits", "--rounds", "20", "--byzantine", "4", "8", "--seeds", "2", "--out", "{}"),
            *("--partition", "iid", "dirichlet:alpha=0.5", "by-label"),
            *("--method", "rsa", "bulyan"),  # which needs more workers
            *("--attack", "infinite", "sign-flip", "gaussian"),
            *("duplicate", "contrarian", "alie", "mimic", "trim", "inner-product", "bit-flip", "dropped"),
        ]
    ],
    "tune": [["tune", *SMALL, "--attack", "sign-flip", "--rounds", "90", "--points", "3", "--out", "{}"]],
    "advise": [["advise", *SMALL, "--out", "{}"]],
    "reproduce": [["reproduce", "--quick", "--data", "digits", "--out", "{}"]],
}
MARKS = ".mark-symbol.role-mark path, .mark-rect.role-mark path"
OVERLAPS = """() => [...document.querySelectorAll('.chart svg')].flatMap(svg => {
  // the boxes of slanted texts overlap where the texts do not
  const slanted = t => /rotate/.test(t.getAttribute('transform') || '');
  const boxes = [...svg.querySelectorAll('text')]
    .filter(t => t.textContent.trim() && t.getAttribute('opacity') !== '0' && !slanted(t))
    .map(t => [t.textContent, t.getBoundingClientRect()]);
  const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
  // a text is drawn twice where a halo lies below it
  return boxes.flatMap(([one, a], i) =>
    boxes.slice(i + 1).filter(([two, b]) => two !== one && over(a, b)).map(([two]) => [one, two]));
})"""
OUTSIDE = """() => [...document.querySelectorAll('body *')]
  .filter(e => !e.closest('.wide, script, #vg-tooltip-element'))
  .filter(e => e.getBoundingClientRect().width && e.getBoundingClientRect().right > innerWidth + 1)
  .map(e => `${e.tagName} ${e.textContent.slice(0, 40)}`)"""

MISPLACED = """() => [...document.querySelectorAll('.score > a')].filter(title => {
  const count = title.nextElementSibling.nextElementSibling;
  return Math.abs(title.getBoundingClientRect().top - count.getBoundingClientRect().top) > 8;
}).map(title => title.textContent)"""
TORN = """() => [...document.querySelectorAll('table:not(.text) td')]
  .filter(e => e.getBoundingClientRect().height > 80).map(e => `${e.dataset.of} ${e.textContent.slice(0, 40)}`)"""
SCROLLED = """() => [...document.querySelectorAll('.wide:has(> table)')]
  .filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent.trim().slice(0, 40))"""


@pytest.fixture(scope="module", params=COMMANDS)
def page_file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp(request.param) / "out"
    for words in COMMANDS[request.param]:
        argv = [sys.executable, "-m", "holdfast", *(word.format(out) for word in words)]
        subprocess.run(argv, check=True, capture_output=True, timeout=300)
    return next(path for path in (out / "report.html", out / "advice.html") if path.exists())


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None and not os.environ.get("CI"):
        pytest.skip("needs Chromium")
    assert found, "the pages are promised to work in Chromium, which must be on the PATH"
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


def opened(browser: Any, file: Path, width: int, scheme: str, complaints: list[str]) -> Any:
    """Return the page with all its details open and all its charts drawn."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: complaints.append(request.url) if request.url.startswith("http") else None)
    page.goto(file.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    for chart in page.locator(".chart").all():
        panels = len(json.loads(chart.locator("script").text_content())["panels"])
        chart.locator("svg.marks").nth(panels - 1).wait_for(timeout=20_000)
    return page


def tells(page: Any, marks: Any) -> bool:
    """Return whether one of a few marks shows its values at the pointer; others may be cut off or covered."""
    for place in (2, 3, 5, 4, 1):
        mark = marks.nth((marks.count() * place // 6 + 7) % marks.count())  # not the first of a line
        mark.scroll_into_view_if_needed()
        box = mark.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x + 40, y - 30)
        page.mouse.move(x, y, steps=4)  # as a hand does: a single leap to where a mark is cut off may show nothing
        try:
            page.locator("#vg-tooltip-element.visible").wait_for(timeout=2_000)
        except playwright.TimeoutError:
            continue
        return True
    return False


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_is_all_there(page_file: Path, browser: Any, width: int, scheme: str) -> None:
    complaints: list[str] = []
    page = opened(browser, page_file, width, scheme, complaints)
    assert page.locator("h1").inner_text().endswith(".")
    assert page.locator(".chart").count() >= 1
    for chart in page.locator(".chart").all():
        assert tells(page, chart.locator(MARKS)), chart.locator("figcaption").inner_text()
    page.mouse.move(0, 0)
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "nothing is wider than the window"
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate(MISPLACED) == [], "a figure's count must stand beside its title"
    assert page.evaluate(TORN) == [], "a cell of a table must not be a column of letters"
    assert page.evaluate(SCROLLED) == [], "no column of a table is out of sight"
    assert page.evaluate(OVERLAPS) == []
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert dark == (scheme == "dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)", "paper is white"
    assert complaints == []
    page.close()


def test_the_data_of_every_chart_can_be_had(page_file: Path, browser: Any) -> None:
    page = opened(browser, page_file, 1280, "light", [])
    charts = page.locator(".chart").all()
    with page.expect_download() as waited:  # one as people do; browsers refuse a dozen in a row
        charts[0].locator("a.data").click()
    first = Path(waited.value.path()).read_bytes().decode()
    for chart in charts:
        drawn, link = json.loads(chart.locator("script").text_content()), chart.locator("a.data")
        text = link.evaluate("link => fetch(link.href).then(found => found.text())")
        assert link.get_attribute("download") == f"{drawn['name']}.csv"
        assert chart is not charts[0] or (waited.value.suggested_filename, first) == (f"{drawn['name']}.csv", text)
        found = list(csv.DictReader(io.StringIO(text)))
        rows = [row for panel in drawn["panels"] for row in panel["rows"]]
        assert len(found) == len(rows) > 0
        for line, row in zip(found, rows, strict=True):
            assert {name: number(value) for name, value in line.items() if value} == {
                name: number(value) if isinstance(value, str) else value
                for name, value in row.items()
                if value not in (None, "")
            }
    page.close()


def number(text: str) -> Any:
    """Return what a cell says: a number, true or false, or text."""
    try:
        return json.loads(text)
    except ValueError:
        return text
