"""The whole page: one file that needs no network and no script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from perturb.report.figures.accuracy import models_figure
from perturb.report.figures.attrition import edits_figure
from perturb.report.figures.figure import Figure
from perturb.report.figures.models import pairs_figure, ranks_figure
from perturb.report.page.blocks import (
    claim_matrix,
    facts,
    figure_block,
    isolated,
    section,
)
from perturb.report.page.model import Illustrated, model_figures, model_section
from perturb.report.page.numbers import edits_table, findings_table
from perturb.report.page.provenance import provenance_facts
from perturb.report.page.tables import draw_table
from perturb.report.result import ScoreResult
from perturb.report.svg.drawing import stylesheet
from perturb.report.svg.markup import element, escape
from perturb.report.wording import count

__all__ = ["Report", "make_report"]

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


@dataclass(frozen=True)
class Report:
    """A report.

    Parameters
    ----------
    page : str
        The HTML, whole.
    figures : tuple of Figure
        What it shows, in its order.
    """

    page: str
    figures: tuple[Figure, ...]


def make_report(result: ScoreResult) -> Report:
    """Return the report of a score: the same score gives the same bytes."""
    compared = _compared_figures(result)
    models = [
        model_figures(result, model, f"model-{at}") for at, model in enumerate(result.models, 1)
    ]
    edits: Illustrated = []
    if result.conditions:
        edits = [(edits_figure(result, "edits"), edits_table(result.conditions))]
    page = _page(
        result,
        _overview(result, compared),
        *(
            model_section(model, figures, f"model-{at}")
            for at, (model, figures) in enumerate(zip(result.models, models, strict=True), 1)
        ),
        section("split", "The split", *(figure_block(*each) for each in edits)),
        _oddities(result),
        _not_applicable(result),
        section("provenance", "Where this comes from", facts(provenance_facts(result))),
    )
    illustrated = [*compared, *(each for figures in models for each in figures), *edits]
    return Report(page=page, figures=tuple(figure for figure, _ in illustrated))


def _compared_figures(result: ScoreResult) -> Illustrated:
    if len(result.models) < 2:
        return []
    found: Illustrated = [(models_figure(result, "models"), None)]
    for one in result.compared:
        if one.ranks.rankings:
            found.append((ranks_figure(one, f"ranks-{one.condition}"), None))
        if one.pairs:
            margin = result.settings.margin
            found.append((pairs_figure(one, margin, f"pairs-{one.condition}"), None))
    return found


def _overview(result: ScoreResult, compared: Illustrated) -> str:
    if len(result.models) < 2:
        return ""
    unranked = [
        element("p", isolated(f"No order on {one.condition}: {one.ranks.reason}"), class_="aside")
        for one in result.compared
        if not one.ranks.rankings and one.ranks.reason
    ]
    return section(
        "overview",
        "At a glance",
        claim_matrix(result.models),
        *(figure_block(*each) for each in compared),
        *unranked,
    )


def _oddities(result: ScoreResult) -> str:
    notes = [element("li", isolated(note)) for note in result.notes]
    read = element("ul", *notes, class_="notes") if notes else ""
    if result.findings:
        table = draw_table(findings_table(result.findings))
    else:
        table = element("p", "The score holds no findings.")
    return section(
        "findings",
        "What did not fit",
        table,
        element("h3", "What each file was taken for") + read if read else "",
        lead="Shown and counted, never repaired in silence.",
    )


def _not_applicable(result: ScoreResult) -> str:
    items = [
        element("div", element("dt", escape(one.title)), element("dd", isolated(one.reason)))
        for one in result.not_applicable
    ]
    return section(
        "undefined",
        "What could not be measured",
        element("dl", *items, class_="facts") if items else "",
        lead="Statistics that this split, or these answers, have no input for.",
    )


def _page(result: ScoreResult, *sections: str) -> str:
    names = [model.model for model in result.models]
    title = f"What the audio contributed: {', '.join(names) or 'no models'}"
    head = element(
        "head",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        '<link rel="icon" href="data:,">',
        element("title", escape(title)),
        element("style", stylesheet() + _style()),
    )
    body = element(
        "body",
        element("header", _banner(result)),
        element("div", _contents(result, sections), element("main", *sections), class_="columns"),
    )
    return f'<!doctype html>\n<html lang="en">{head}{body}</html>\n'


def _banner(result: ScoreResult) -> str:
    origin = result.provenance
    on = f"{origin.benchmark}, suite {origin.suite}" if origin is not None else ""
    n_conditions = len(result.conditions) or max(
        (len(model.conditions) for model in result.models), default=0
    )
    numbers = [
        (result.items, "item", "items"),
        (result.clusters, "clip", "clips"),
        (n_conditions, "condition", "conditions"),
        (len(result.models), "model", "models"),
    ]
    tiles = [
        element("li", element("b", count(n)), f" {one if n == 1 else many}")
        for n, one, many in numbers
    ]
    return element(
        "div",
        element("p", "perturb report", class_="brand"),
        element("h1", "What the audio contributed"),
        element("p", isolated(on), class_="on") if on else "",
        element("ul", *tiles, class_="tiles"),
        class_="banner",
    )


def _contents(result: ScoreResult, sections: Sequence[str]) -> str:
    """Return links to the sections that there are."""
    anchors = [("overview", "At a glance")]
    anchors += [(f"model-{at}", model.model) for at, model in enumerate(result.models, 1)]
    anchors += [
        ("split", "The split"),
        ("findings", "What did not fit"),
        ("undefined", "Not measured"),
        ("provenance", "Provenance"),
    ]
    links = [
        element("li", element("a", isolated(title), href=f"#{anchor}"))
        for anchor, title in anchors
        if any(f'id="{anchor}"' in text for text in sections)
    ]
    return element("nav", element("ul", *links), aria_label="Contents")


@cache
def _style() -> str:
    return files("perturb.report.page").joinpath("page.css").read_text("utf-8")
