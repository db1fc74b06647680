"""Does the model use the audio, and what does it do without it?"""

from __future__ import annotations

from collections.abc import Iterator

from perturb.score.claims.evidence import Evidence
from perturb.score.records.claim import Claim

__all__ = ["audio"]


def audio(evidence: Evidence) -> Iterator[Claim]:
    """Yield the claims."""
    if not evidence.controls:
        yield Claim(
            name="uses_audio",
            title="uses the audio: answers better with it",
            verdict="not tested",
            sentence="no condition that takes the audio away was answered",
        )
    for one in evidence.score.comparisons:
        if one.first in evidence.controls and one.against != "control":
            yield evidence.by_comparison(
                "uses_audio",
                f"uses the audio: answers better with it than under {one.first}",
                one,
                sign=-1,
            )
    for name in evidence.controls:
        yield from _without(evidence, name)


def _without(evidence: Evidence, name: str) -> Iterator[Claim]:
    changed = evidence.measure("influence_over_noise", name)
    if changed is not None:
        yield evidence.by_interval(
            "audio_changes_answers",
            f"answers otherwise under {name} than with the audio, beyond its own noise",
            changed.estimate,
            subject="items with another answer, beyond the noise floor",
            condition=name,
            against=changed.against,
        )
    guess = evidence.measure("above_chance", name)
    if guess is not None:
        yield evidence.by_interval(
            "right_without_audio",
            f"answers better than a guesser under {name}",
            guess.estimate,
            subject=f"accuracy under {name} minus that of a guesser",
            condition=name,
        )
    for key, title, subject in (
        (
            "follows_donor_excess",
            f"answers from the clip that it hears under {name}",
            "items answered with the other clip's gold, beyond that answer on the own clip",
        ),
        (
            "abstention_excess",
            f"says under {name} that it cannot be determined, more than with the audio",
            "items where it abstains, beyond those with the audio",
        ),
    ):
        found = evidence.measure(key, name)
        if found is not None:
            yield evidence.by_interval(
                key.removesuffix("_excess"),
                title,
                found.estimate,
                subject=subject,
                condition=name,
                against=found.against,
            )
