"""The report in a real browser: charts are drawn, tooltips come up, nothing overflows, nobody complains."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra browser")

MARKS = ".mark-symbol.role-mark path, .mark-rect.role-mark path"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report")
    command = [sys.executable, "-m", "holdfast", "reproduce", "--quick", "--data", "digits", "--out", str(out)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return out / "report.html"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None and not os.environ.get("CI"):
        pytest.skip("needs Chromium")
    assert found, "the page is promised to work in Chromium, which must be on the PATH"
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_report_is_all_there(report: Path, browser: Any, width: int, scheme: str) -> None:
    complaints: list[str] = []
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: complaints.append(request.url) if request.url.startswith("http") else None)
    page.goto(report.as_uri())
    charts = page.locator(".chart")
    assert charts.count() >= 8
    for chart in charts.all():
        chart.locator("svg.marks").wait_for(timeout=20_000)
        mark = chart.locator(MARKS).nth(2)
        mark.scroll_into_view_if_needed()
        mark.hover(force=True)
        tooltip = page.locator("#vg-tooltip-element.visible")
        tooltip.wait_for(timeout=5_000)
        assert "mean" in tooltip.inner_text() or "median" in tooltip.inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "nothing is wider than the window"
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert dark == (scheme == "dark")
    assert complaints == []
    page.close()
