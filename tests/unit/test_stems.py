from __future__ import annotations

import numpy as np
import pytest
import soundfile


@pytest.fixture
def rain(tmp_path):
    noise = np.random.default_rng(1).uniform(-0.5, 0.5, 8_000)
    soundfile.write(tmp_path / "rain.wav", noise, 16_000)
    return tmp_path / "rain.wav"


def test_stems_add_up_to_the_variant(cli, sentence, rain, tmp_path):
    output = tmp_path / "out.wav"
    op = f'event:file="{rain}",snr_db=20@1.0'
    assert cli("apply", str(sentence), "-o", str(output), "--op", op, "--stems").code == 0
    mixture, host, event = (
        soundfile.read(tmp_path / name)[0] for name in ("out.wav", "out.host.wav", "out.event.wav")
    )
    # Three files of 16 bits: half a step of each.
    assert np.max(np.abs(mixture - host - event)) <= 1.5 / 32_768
    assert np.any(event)
    assert cli("verify", str(output)).code == 0


def test_an_edit_that_is_no_sum_has_no_stems(cli, sentence, tmp_path):
    output = tmp_path / "out.wav"
    answer = cli("apply", str(sentence), "-o", str(output), "--op", "gain:gain_db=3", "--stems")
    assert answer.code == 2
    assert "gain has no stems" in answer.err
    assert not output.exists()
