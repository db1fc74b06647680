"""What becomes of a clip under an operator of the mirror."""

from __future__ import annotations

import perturb as pt

__all__ = ["OPERATORS", "verdict"]

OPERATORS: dict[str, pt.Operator] = {
    "monotone": pt.Monotone(),
    "exaggerate": pt.Exaggerate(),
    "contour": pt.Contour(points=((0.0, 120.0), (0.6, 180.0), (1.0, 110.0)), register="own"),
    "whisper": pt.Whisper(),
    "voice": pt.Voice(),
    "flat_intensity": pt.FlatIntensity(),
    "retime, pauses": pt.Retime(),
    "retime, tempo": pt.Retime(what="tempo"),
}


def verdict(name: str, clip: pt.Analysis) -> tuple[str, str | None]:
    """Return the status of the operator's proofs, and the reason where it is not ok."""
    try:
        trace = pt.apply(clip, OPERATORS[name]).trace
    except pt.InapplicableError as error:
        return "inapplicable", str(error)
    return trace.status, trace.reason
