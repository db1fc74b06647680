"""Audit labels: what a person made of a sample of the answers (SEABED)."""

from __future__ import annotations

from collections.abc import Sequence

from perturb.score.arms import ModelArms
from perturb.score.measures.draft import Draft, Family, Found
from perturb.score.statistics.audit_labels import label_shares

__all__ = ["audit"]


def _drafts(arms: ModelArms, everyone: Sequence[ModelArms]) -> Found:
    drafts = []
    for name in arms.names:
        found = arms.labels.audit_of(arms.model, name)
        if found is None:
            continue
        for kind, title, labels in (
            ("quality", "Audited answers that are", found.quality),
            ("failure", "Audited failures that are", found.failure),
        ):
            drafts += [
                Draft(
                    name="audit_share",
                    title=f"{title} {label}",
                    unit="share",
                    value=value,
                    condition=name,
                    group={kind: label},
                )
                for label, value in label_shares(labels, found.weights).items()
            ]
    if not drafts:
        return "no answer was audited: give columns `audit` or `failure` by --labels"
    return drafts


audit = Family("audit", "Audit labels", _drafts)
