"""The page: the same bytes each time, every text escaped, every claim as it was worded."""

from __future__ import annotations

from html.parser import HTMLParser

import msgspec
import pytest

from perturb.report.page.blocks import claim_list
from perturb.report.page.document import make_report
from perturb.report.wording import amount, interval, percent, points, quantity, sentence
from tests.report import specimens

ORDINALS = ("first", "second", "third", "fourth", "fifth")
_VOID = {"meta", "link"}


class Reader(HTMLParser):
    """Texts by the tag around them, and whether every tag is closed in its order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open:
            self.texts.append((self.open[-1], data))

    def all_text(self):
        return "\n".join(text for _, text in self.texts)


@pytest.fixture(scope="module")
def result():
    return specimens.result(3, 8)


@pytest.fixture(scope="module")
def page(result):
    return make_report(result).page


@pytest.fixture(scope="module")
def reader(page):
    return Reader(page)


def test_the_same_score_gives_the_same_bytes(result, page):
    again = msgspec.json.decode(msgspec.json.encode(result), type=type(result))
    assert make_report(again).page == page


def test_names_from_outside_are_text_and_nothing_else(result, reader):
    tags = {tag for tag, _ in reader.tags}
    assert not tags & {"script", "so", "item"}
    bold = [text for tag, text in reader.texts if tag == "b"]
    assert "loud" not in bold  # the tiles alone are bold
    for model in result.models:
        assert ("bdi", model.model) in reader.texts
    assert "bench <1> & more.json, suite seabed/controls" in reader.all_text()
    assert "item-3, <item> 4" in reader.all_text()


def test_nothing_on_the_page_leads_out_of_it(page, reader):
    for tag, attributes in reader.tags:
        assert tag not in {"script", "iframe", "object", "embed", "img", "base", "form"}
        assert not any(name.startswith("on") for name in attributes)
        for name in ("href", "src", "srcset", "data", "action"):
            assert attributes.get(name, "#").startswith(("#", "data:"))
    assert "@import" not in page
    assert "url(" not in page
    policy = {"http-equiv": "Content-Security-Policy"}
    assert any(policy.items() <= attributes.items() for _, attributes in reader.tags)


def test_links_within_the_page_lead_somewhere_and_ids_are_unique(reader):
    ids = [attributes["id"] for _, attributes in reader.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in reader.tags:
        for target in (attributes.get("href", ""), *attributes.get("aria-labelledby", "").split()):
            if not target.startswith("data:") and target:
                assert target.removeprefix("#") in ids


def test_every_drawing_has_a_title_and_a_description(reader):
    for tag, attributes in reader.tags:
        if tag == "svg":
            assert attributes["role"] == "img"
            assert len(attributes["aria-labelledby"].split()) == 2


def test_claims_are_shown_in_the_words_of_the_score(result, reader):
    shown = reader.all_text()
    for model in result.models:
        for claim in model.claims:
            assert claim.title in shown
            assert claim.sentence in shown
    pills = [attributes["class"] for tag, attributes in reader.tags if tag == "span"]
    verdicts = [one.verdict for model in result.models for one in model.claims]
    # Once in the table of all models, once in the section of each.
    assert sum(kind.startswith("pill") for kind in pills) == 2 * len(verdicts)


def test_decided_claims_come_first_and_open_exploratory_ones_are_counted():
    claims = [
        specimens.claim("a", "first", "undecided", None),
        specimens.claim("b", "second", "not tested", None),
        specimens.claim("c", "third", "no", None),
        specimens.claim("d", "fourth", "yes", "silence"),
    ]
    primary = msgspec.structs.replace(claims[0], name="e", title="fifth", role="primary")
    reader = Reader(claim_list([*claims, primary]))
    titles = [text for _, text in reader.texts if text in ORDINALS]
    assert titles == ["third", "fourth", "fifth", "first", "second"]
    assert ("summary", "2 exploratory claims are undecided or not tested") in reader.texts


def test_provenance_findings_and_what_was_not_measured_are_told(result, reader):
    shown = reader.all_text()
    assert "perturb 0.1.0, numpy 2.4.0" in shown
    assert "1\u202f000 samples, seed 0" in shown
    assert result.matcher in shown
    assert result.findings[0].message in shown
    assert "the items hold no chains" in shown
    assert "runs/<b>.csv: table" in shown
    assert "not heard by qwen" in shown


@pytest.mark.parametrize(("models", "conditions"), [(1, 2), (8, 40)])
def test_any_size_of_score_has_its_page(models, conditions):
    report = make_report(specimens.result(models, conditions))
    reader = Reader(report.page)
    assert sum(tag == "svg" for tag, _ in reader.tags) == 2 * len(report.figures)
    names = [figure.name for figure in report.figures]
    assert len(set(names)) == len(names)


def test_a_score_in_which_all_is_null_has_its_page_and_says_why():
    reader = Reader(make_report(specimens.empty_result()).page)
    shown = reader.all_text()
    assert "every row is missing" in shown
    assert "the original's bytes were not run twice" in shown
    assert "nan" not in shown.lower().split()
    assert "None" not in shown


def test_no_model_at_all_is_a_page_too():
    empty = msgspec.structs.replace(specimens.empty_result(), models=())
    assert "no models" in Reader(make_report(empty).page).all_text()


def test_numbers_are_written_one_way():
    found = specimens.share(0.4167, 0.04)
    assert percent(0.4167) == "41.7 %"
    assert points(-0.0004) == "0.0"
    assert amount(found) == "41.7 % (37.7 to 45.7)"
    assert interval(specimens.contrast(-0.2).difference, "difference") == "−25.0 to −15.0"
    assert quantity(0.62, "ratio") == "0.62"
    assert quantity(1234.0, "count") == "1\u202f234"
    assert sentence("x", specimens.missing("no pairs")) == "x: undefined, no pairs (n = 0)"
