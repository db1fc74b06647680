"""What a recipe leaves open and the clip decides: where its anchors go, which sound is absent."""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec.structs import replace

from perturb.anchors.placement import Infeasible, PlacementRules
from perturb.anchors.placing import place
from perturb.anchors.segmenting import find_segments
from perturb.anchors.sounds import SoundBank
from perturb.errors import InapplicableError, ParameterError
from perturb.measure.analysis import Analysis
from perturb.recipes.recipe import Anchor
from perturb.span import Span
from perturb.streams import Streams

__all__ = ["ClipFinder"]


@dataclass(frozen=True)
class ClipFinder:
    """Finds in one clip after the other what a recipe asks for; travels to workers.

    Parameters
    ----------
    bank : SoundBank
        Where absent sounds are drawn from.
    rules : PlacementRules
        What windows have to obey; how many there are, the anchor says.
    labels : tuple of str, optional
        What is said to be heard in the clip; None where nobody knows, and the clip is listened to.
    """

    bank: SoundBank = field(default_factory=SoundBank)
    rules: PlacementRules = field(default_factory=PlacementRules)
    labels: tuple[str, ...] | None = None

    def spans(self, anchor: Anchor, clip: Analysis | None, streams: Streams) -> tuple[Span, ...]:
        """Return windows over active speech, in segments between the clip's pauses.

        Raises
        ------
        InapplicableError
            The rule that leaves too few places.
        ParameterError
            There is no clip to look at.
        """
        clip = _present(clip)
        segments = find_segments(clip, None).segments
        rules = replace(self.rules, positions=anchor.positions)
        placed = place(clip, segments, rules, streams.generator("anchors"))
        if isinstance(placed, Infeasible):
            raise InapplicableError(placed.reason)
        return placed.spans

    def absent_sound(self, clip: Analysis | None, streams: Streams) -> str:
        """Return the reference of a sound that is not heard in the clip.

        Raises
        ------
        InapplicableError
            Every category may be in it.
        ParameterError
            There is no clip to listen to.
        """
        signal = _present(clip).signal
        return self.bank.choose(signal, self.labels, streams.generator("sound")).reference


def _present(clip: Analysis | None) -> Analysis:
    if clip is None:
        raise ParameterError("its places and sounds are found in a clip, and there is none")
    return clip
