"""The page in headless Chromium: it asks for nothing, complains of nothing, and all of it fits."""

from __future__ import annotations

import pytest

from perturb.report.page.document import make_report
from tests.report import specimens
from tests.report.browser import NEED_CHROMIUM, measure, open_page

pytestmark = NEED_CHROMIUM

RESULTS = {
    "small": specimens.result(1, 2),
    "several": specimens.result(3, 8),
    "empty": specimens.empty_result(),
    "large": specimens.result(8, 40),
}
WIDTHS = (400, 800, 1280)


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    pages = {name: make_report(result).page for name, result in RESULTS.items()}
    return measure(pages, WIDTHS, tmp_path_factory.mktemp("pages"))


def test_the_page_loads_without_network_or_complaint(tmp_path):
    page = tmp_path / "report.html"
    page.write_text(make_report(RESULTS["several"]).page, encoding="utf-8")
    assert open_page(page) == ([], [])


def test_a_page_that_asks_or_complains_would_be_noticed(tmp_path):
    page = tmp_path / "bad.html"
    page.write_text(
        '<!doctype html><img src="http://images.example/x.png"><script>console.error("no")</script>'
    )
    console, asked = open_page(page)
    assert any('"no"' in line for line in console)
    assert "http://images.example/x.png" in asked


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", RESULTS)
def test_every_figure_is_shown_once_and_has_a_size(measured, name, width):
    found = measured[f"{name} {width}"]
    assert len(found["boxes"]) == found["figures"] > 0
    assert all(min(size) > 50 for size in found["boxes"])


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", RESULTS)
def test_no_text_leaves_its_place_or_covers_another(measured, name, width):
    found = measured[f"{name} {width}"]
    assert found["texts"] > 20
    assert found["outside"] == []
    assert found["overlaps"] == []
    assert found["clipped"] == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", RESULTS)
def test_the_page_is_never_wider_than_its_window(measured, name, width):
    assert measured[f"{name} {width}"]["overflow"] <= 0


def test_texts_that_cover_each_other_would_be_noticed(tmp_path):
    bad = (
        '<figure><svg class="figure" width="100" height="40"><text x="5" y="20">one text</text>'
        '<text x="30" y="24">another</text><text x="90" y="35">out it goes</text></svg></figure>'
    )
    found = measure({"bad": f"<!doctype html>{bad}"}, (400,), tmp_path)["bad 400"]
    assert ["one text", "another"] in found["overlaps"]
    assert found["outside"] == ["out it goes"]
