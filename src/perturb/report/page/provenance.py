"""Where a report comes from: split, seeds, versions, rule of reading, settings."""

from __future__ import annotations

from perturb.report.result import ScoreResult
from perturb.report.wording import count, points

__all__ = ["provenance_facts"]


def provenance_facts(result: ScoreResult) -> list[tuple[str, str]]:
    """Return names and values of all that a second run would need."""
    settings = result.settings
    pairs: list[tuple[str, str]] = []
    if result.provenance is not None:
        origin = result.provenance
        versions = ", ".join(f"{name} {version}" for name, version in origin.versions.items())
        pairs += [
            ("benchmark", origin.benchmark),
            ("suite", origin.suite),
            ("seed of the split", str(origin.seed)),
            ("split made with", versions),
            ("scored by", f"perturb {origin.scored_by}"),
        ]
    pairs += [
        ("items", f"{count(result.items)} on {count(result.clusters)} clips"),
        ("answers read by", result.matcher),
        ("intervals", f"{100.0 * settings.confidence:g} %, clips resampled as a whole"),
        ("bootstrap", f"{count(settings.n_samples)} samples, seed {settings.seed}"),
        (
            "margin",
            f"differences within ± {points(settings.margin).lstrip('+')} points do not matter",
        ),
        ("fewest clips for an interval", str(settings.min_clusters)),
    ]
    pairs += [
        (f"not heard by {model}", ", ".join(f"{name} {count(n)}" for name, n in lost.items()))
        for model, lost in result.unheard.items()
    ]
    return [(name, value) for name, value in pairs if value]
