"""Parts of a page: sections, figures with their numbers, claims with their verdicts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from perturb.report.figures.figure import Figure
from perturb.report.page.tables import Table, draw_table
from perturb.report.svg.drawing import inline
from perturb.report.svg.markup import element, escape
from perturb.report.wording import NONE
from perturb.score.records.claim import Claim
from perturb.score.records.overview import ModelScore

__all__ = ["claim_list", "claim_matrix", "facts", "figure_block", "isolated", "section"]


def isolated(text: str) -> str:
    """Return a name from outside, its direction of writing kept to itself."""
    return element("bdi", escape(text))


def section(anchor: str, title: str, *parts: str, lead: str = "") -> str:
    """Return a section; nothing where it would be empty."""
    if not any(parts):
        return ""
    head = element("h2", isolated(title), id=f"{anchor}-title")
    text = element("p", escape(lead), class_="lead") if lead else ""
    return element("section", head, text, *parts, id=anchor, aria_labelledby=f"{anchor}-title")


def figure_block(figure: Figure, table: Table | None = None) -> str:
    """Return a figure on both kinds of paper, one of which is shown, and its numbers below."""
    drawn = [
        element(
            "div",
            inline(drawing, f"{figure.name}-{paper}", figure.title, figure.caption),
            class_=paper,
        )
        for paper, drawing in (("wide", figure.wide), ("narrow", figure.narrow))
    ]
    caption = element(
        "figcaption",
        element("h3", isolated(figure.title)),
        element("p", escape(figure.caption)),
    )
    numbers = ""
    if table is not None and table.rows:
        summary = element("summary", "The numbers")
        numbers = element("details", summary, draw_table(table, figure.title))
    return element("figure", caption, *drawn, numbers, id=figure.name)


def claim_list(claims: Sequence[Claim]) -> str:
    """Return claims with their verdicts and the sentences that say what these rest on.

    Decided ones come first; exploratory ones that nothing decides are folded away, and counted.
    """
    decided = [one for one in claims if one.verdict in ("yes", "no")]
    undecided = [one for one in claims if one.verdict not in ("yes", "no")]
    primary = [one for one in undecided if one.role == "primary"]
    exploratory = [one for one in undecided if one.role == "exploratory"]
    if not decided and not primary:
        return _claims(exploratory)
    return _claims([*decided, *primary]) + _folded(exploratory)


def _claims(claims: Sequence[Claim]) -> str:
    items = [
        element(
            "li",
            _pill(claim),
            element(
                "div",
                element("strong", isolated(claim.title)),
                _tested_by(claim),
                element("p", isolated(claim.sentence)),
            ),
        )
        for claim in claims
    ]
    return element("ul", *items, class_="claims") if items else ""


def _folded(claims: Sequence[Claim]) -> str:
    if not claims:
        return ""
    many = "claim is" if len(claims) == 1 else "claims are"
    summary = element("summary", f"{len(claims)} exploratory {many} undecided or not tested")
    return element("details", summary, _claims(claims), class_="all folded")


def _pill(claim: Claim) -> str:
    kind = f"pill {claim.verdict.replace(' ', '-')}"
    return element("span", escape(claim.verdict), class_=kind)


def _tested_by(claim: Claim) -> str:
    if claim.condition is None:
        return ""
    text = claim.condition if claim.against is None else f"{claim.condition} − {claim.against}"
    role = "" if claim.role == "primary" else ", exploratory"
    return element("span", element("bdi", escape(text)), role, class_="by")


def claim_matrix(models: Sequence[ModelScore]) -> str:
    """Return all claims as rows and models as columns, each verdict a link to its model."""
    rows: dict[tuple[str, str | None], str] = {}
    found: dict[tuple[str, str | None, int], Claim] = {}
    for at, model in enumerate(models):
        for claim in model.claims:
            rows.setdefault((claim.name, claim.condition), claim.title)
            found[claim.name, claim.condition, at] = claim
    if not rows:
        return ""
    head = [element("th", "claim", scope="col")]
    head += [
        element("th", element("a", isolated(model.model), href=f"#model-{at + 1}"), scope="col")
        for at, model in enumerate(models)
    ]
    body = []
    for (name, condition), title in rows.items():
        where = _where(title, condition)
        cells = [element("th", isolated(title), where, scope="row")]
        for at in range(len(models)):
            held = found.get((name, condition, at))
            cells.append(element("td", _pill(held) if held is not None else NONE))
        body.append(element("tr", *cells))
    table = element(
        "table", element("thead", element("tr", *head)), element("tbody", *body), class_="matrix"
    )
    return element("div", table, class_="scroll", tabindex="0")


def _where(title: str, condition: str | None) -> str:
    """Return the condition of a claim, where its title does not name it."""
    if condition is None or re.search(rf"(?<!\w){re.escape(condition)}(?!\w)", title):
        return ""
    return element("span", isolated(condition), class_="by")


def facts(pairs: Sequence[tuple[str, str]]) -> str:
    """Return names and values as a list."""
    rows = [
        element("div", element("dt", escape(name)), element("dd", isolated(value)))
        for name, value in pairs
    ]
    return element("dl", *rows, class_="facts")
