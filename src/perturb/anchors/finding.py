"""What a recipe leaves open and the clip decides: where its anchors go, which sound is absent."""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec.structs import replace

from perturb.anchors.placement import Infeasible, PlacementRules
from perturb.anchors.placing import place
from perturb.anchors.segmenting import find_segments
from perturb.anchors.sounds import SoundBank
from perturb.errors import InapplicableError
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
    """

    bank: SoundBank = field(default_factory=SoundBank)
    rules: PlacementRules = field(default_factory=PlacementRules)

    def spans(self, anchor: Anchor, clip: Analysis, streams: Streams) -> tuple[Span, ...]:
        """Return windows over active speech, in segments between the clip's pauses.

        Raises
        ------
        InapplicableError
            The rule that leaves too few places.
        """
        segments = find_segments(clip, None).segments
        rules = replace(self.rules, positions=anchor.positions)
        placed = place(clip, segments, rules, streams.generator("anchors"))
        if isinstance(placed, Infeasible):
            raise InapplicableError(placed.reason)
        return placed.spans

    def absent_sound(self, clip: Analysis, streams: Streams) -> str:
        """Return the reference of a sound that is not heard in the clip.

        Raises
        ------
        InapplicableError
            Every category may be in it.
        """
        return self.bank.choose(clip.signal, None, streams.generator("sound")).reference
