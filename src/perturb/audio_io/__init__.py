"""The only door for files: reading, checking and writing audio.

Reading is strict. A file whose header and content disagree is refused, and nothing that libsndfile
passes over in silence (a WAV cut in half, an mp3 without a frame count, a lost ogg page) comes back
as a shorter clip. Writing is atomic and gives the same bytes every time.
"""

from perturb.audio_io.encoding import count_over_full_scale, quantise
from perturb.audio_io.output_format import (
    OUTPUT_SUFFIXES,
    OutputFormat,
    output_format_for,
)
from perturb.audio_io.paths import AUDIO_SUFFIXES, find_audio, is_litter
from perturb.audio_io.pending import (
    PendingFile,
    file_sha256,
    prepare_bytes,
    write_bytes_atomic,
    write_text_atomic,
)
from perturb.audio_io.reading import AudioFile, AudioInfo, read_audio, read_info
from perturb.audio_io.writing import PendingAudio, Written, prepare_audio, write_audio

__all__ = [
    "AUDIO_SUFFIXES",
    "OUTPUT_SUFFIXES",
    "AudioFile",
    "AudioInfo",
    "OutputFormat",
    "PendingAudio",
    "PendingFile",
    "Written",
    "count_over_full_scale",
    "file_sha256",
    "find_audio",
    "is_litter",
    "output_format_for",
    "prepare_audio",
    "prepare_bytes",
    "quantise",
    "read_audio",
    "read_info",
    "write_audio",
    "write_bytes_atomic",
    "write_text_atomic",
]
