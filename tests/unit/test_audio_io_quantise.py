from __future__ import annotations

import numpy as np
import pytest

from perturb.audio_io import OutputFormat, quantise, read_audio, write_audio
from perturb.signal import Signal


@pytest.mark.parametrize("subtype", ["PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE"])
def test_quantise_is_bit_equal_to_reading_back(subtype, tmp_path):
    tiny = [-1e-9, 1e-9, -0.0, 0.0, -1.5 / 65536, 0.5 / 32768, 0.9999, -1.0, -0.3]
    signal = Signal.from_array(np.array(tiny), 8_000)
    form = OutputFormat(subtype=subtype)
    write_audio(tmp_path / "x.wav", signal, form)
    assert read_audio(tmp_path / "x.wav").signal.is_equal(quantise(signal, form))
