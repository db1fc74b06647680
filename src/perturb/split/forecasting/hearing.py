"""What common harnesses will not hear of a split: audio past a limit, edits on one channel."""

from __future__ import annotations

from collections.abc import Iterator

from perturb.split.preparation import PreparedSplit

__all__ = ["USUAL_LIMIT_S", "hearing_warnings"]

USUAL_LIMIT_S = 30.0
"""How much audio encoders of the Whisper family hear: the leading part, nothing after it."""


def hearing_warnings(prepared: PreparedSplit) -> Iterator[str]:
    """Yield a line for each thing that a model may not hear.

    Parameters
    ----------
    prepared : PreparedSplit
        Clips and conditions.
    """
    keys = {audio.clip for item in prepared.request.items for audio in item.audios}
    durations = [prepared.scan.durations_s[key] for key in keys & prepared.scan.durations_s.keys()]
    long = sum(duration_s > USUAL_LIMIT_S for duration_s in durations)
    if long:
        yield (
            f"{long} of {len(durations)} clips are longer than {USUAL_LIMIT_S:g} s: models that "
            "hear the first 30 s alone miss what is edited after them"
        )
    for name, treatment in prepared.request.treatments.items():
        spans = () if treatment.make_steps is None else treatment.make_steps.spans or ()
        late = [span for span in spans if span.start_s >= USUAL_LIMIT_S]
        if late:
            yield f"{name}: {late[0]} lies past {USUAL_LIMIT_S:g} s, where many models hear nothing"
    channels = [prepared.scan.infos[key].channel_count for key in keys & prepared.scan.infos.keys()]
    several = sum(count > 1 for count in channels)
    if several:
        yield (
            f"{several} of {len(channels)} clips have more than one channel: many models keep one "
            "of them or average all; edits act on every channel alike"
        )
