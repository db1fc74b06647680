"""In which form audio is written, decided by the source and the suffix."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

import msgspec

from perturb.audio_io.reading import AudioFile
from perturb.errors import ParameterError
from perturb.record import Record, bounds

__all__ = ["FLAC_MAX_CHANNELS", "OUTPUT_SUFFIXES", "OutputFormat", "output_format_for"]

Container = Literal["WAV", "WAVEX", "FLAC"]
Subtype = Literal["PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE"]

OUTPUT_SUFFIXES = (".wav", ".flac")
FLAC_MAX_CHANNELS = 8

# Lossless kinds with another name or width than a WAV of ours; whatever is not named here or in
# `Subtype` is lossy, or has 8 bits, and becomes 16-bit PCM.
_SUBTYPES: dict[str, Subtype] = {
    "ALAC_20": "PCM_24",
    "ALAC_24": "PCM_24",
    "ALAC_32": "PCM_32",
    "DWVW_24": "PCM_24",
}
_PLAIN_WAVE = frozenset({"WAV", "RF64"})


class OutputFormat(Record, frozen=True, kw_only=True):
    """Container and subtype of a file to write.

    Parameters
    ----------
    container : {'WAV', 'WAVEX', 'FLAC'}
        Little-endian RIFF (RF64 where 4 GB do not suffice), the same with a WAVE_EXTENSIBLE
        header, or FLAC.
    subtype : {'PCM_16', 'PCM_24', 'PCM_32', 'FLOAT', 'DOUBLE'}
        Coding of a sample; FLAC takes PCM_16 and PCM_24.
    channel_mask : int
        Speaker positions for WAVEX, 0 for none stated.
    notes : tuple of str
        What this form costs.

    Raises
    ------
    ParameterError
        A combination that does not exist.

    Examples
    --------
    >>> OutputFormat(container="WAV", subtype="PCM_24").full_scale_bits
    24
    """

    container: Container = "WAV"
    subtype: Subtype = "PCM_16"
    channel_mask: Annotated[int, bounds(0, 2**32 - 1, "", "speaker positions")] = 0
    notes: tuple[str, ...] = ()

    def check(self) -> None:
        """Refuse FLAC of more than 24 bits."""
        if self.container == "FLAC" and self.subtype not in ("PCM_16", "PCM_24"):
            raise ParameterError(
                f"subtype is {self.subtype!r}; accepted in FLAC: 'PCM_16', 'PCM_24'"
            )

    @property
    def full_scale_bits(self) -> int | None:
        """Bits of an integer sample; None for floats."""
        return {"PCM_16": 16, "PCM_24": 24, "PCM_32": 32}.get(self.subtype)


def output_format_for(
    source: AudioFile | None, suffix: str, *, channel_count: int | None = None
) -> OutputFormat:
    """Return the form in which an edit of `source` is written under `suffix`.

    A lossless source keeps its subtype, so that a pair of files differs in the edit alone. Lossy
    and 8-bit sources (mp3, ogg, A-law, µ-law, ADPCM, unsigned 8-bit) become 16-bit PCM. Under
    ``.flac``, 32-bit and float sources become 24-bit, with a note: FLAC holds no floats, and the
    step of 2^-23 lies far below what any recording resolves; samples above full scale are clipped
    and counted when they are written.

    The header keeps its kind too: WAVE_EXTENSIBLE with the same speaker positions where the source
    had it, a plain one where the source was a plain WAV, whatever its channel count, so that a
    reader that treats the two alike treats the pair alike. From other containers, more than two
    channels get WAVE_EXTENSIBLE, as its specification asks. Byte order is always little-endian.

    Parameters
    ----------
    source : AudioFile or None
        What the edit starts from; None stands for synthetic audio, written as 16-bit.
    suffix : str
        '.wav' or '.flac', in any case.
    channel_count : int, optional
        Channels to be written; by default the source's.

    Returns
    -------
    OutputFormat

    Raises
    ------
    ParameterError
        Another suffix, or more than 8 channels for FLAC.

    Examples
    --------
    >>> output_format_for(None, ".FLAC").container
    'FLAC'
    """
    if suffix.lower() not in OUTPUT_SUFFIXES:
        raise ParameterError(
            f"the output's suffix is {suffix!r}; accepted: {', '.join(OUTPUT_SUFFIXES)}"
        )
    if channel_count is None:
        channel_count = source.signal.channel_count if source is not None else 1
    named = source.subtype if source is not None else "PCM_16"
    subtype: Subtype = _SUBTYPES.get(named, "PCM_16")
    if named in get_args(Subtype):
        subtype = msgspec.convert(named, Subtype)
    if suffix.lower() == ".flac":
        if channel_count > FLAC_MAX_CHANNELS:
            raise ParameterError(
                f"{channel_count} channels; accepted in FLAC: 1 to {FLAC_MAX_CHANNELS}. Use .wav"
            )
        if subtype in ("PCM_16", "PCM_24"):
            return OutputFormat(container="FLAC", subtype=subtype)
        note = f"FLAC holds no {subtype} samples: written as 24-bit"
        return OutputFormat(container="FLAC", subtype="PCM_24", notes=(note,))
    if source is not None and source.channel_mask is not None:
        return OutputFormat(container="WAVEX", subtype=subtype, channel_mask=source.channel_mask)
    is_plain = channel_count <= 2 or (source is not None and source.container in _PLAIN_WAVE)
    return OutputFormat(container="WAV" if is_plain else "WAVEX", subtype=subtype)
