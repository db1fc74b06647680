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


def test_a_stem_replaces_neither_input_nor_reference_nor_another_variant(
    cli, sentence, rain, tmp_path
):
    host = tmp_path / "out.host.wav"
    event = tmp_path / "out.event.wav"
    host.write_bytes(sentence.read_bytes())
    event.write_bytes(rain.read_bytes())
    before = host.read_bytes(), event.read_bytes()

    def stems_of(source, sound):
        op = f'event:file="{sound}",snr_db=20@1.0'
        arguments = ("apply", str(source), "-o", str(tmp_path / "out.wav"), "--op", op, "--stems")
        answer = cli(*arguments)
        assert answer.code == 2
        assert (host.read_bytes(), event.read_bytes()) == before
        assert not (tmp_path / "out.wav").exists()
        return answer.err

    assert "out.host.wav is the input itself; name another" in stems_of(host, rain)
    assert "out.event.wav is the reference" in stems_of(sentence, event)
    assert cli("apply", str(sentence), "-o", str(host), "--op", "reverse").code == 0
    before = host.read_bytes(), event.read_bytes()
    assert "would replace a variant, which" in stems_of(sentence, rain)
