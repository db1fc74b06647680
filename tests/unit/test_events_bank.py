"""The generated bank: clean edges, one level, no clipping, the same event at every rate."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest
import soxr

from perturb.errors import ParameterError
from perturb.events.bank import GeneratedBank, parse_event, render, render_reference
from perturb.events.category import FAMILIES
from perturb.events.finishing import ACTIVE_LEVEL_DBFS, EDGE_S, PEAK_CEILING_DBTP, finish
from perturb.events.label_words import stem
from perturb.events.registry import all_categories, find_category
from perturb.measure.level import gated_level_dbfs
from perturb.measure.true_peak import true_peak_dbtp

RATES_HZ = (8_000, 16_000, 22_050, 48_000)
NAMES = tuple(all_categories())


@pytest.fixture(scope="module")
def events():
    """Return one event of each category at each rate, another seed for each category."""
    return {
        (name, rate): render(name, seed, rate)
        for seed, name in enumerate(NAMES, start=40)
        for rate in RATES_HZ
    }


def test_the_paper_s_families_and_three_more_hold_at_least_62_categories():
    assert len(NAMES) >= 62
    by_family = dict.fromkeys(FAMILIES, 0)
    for category in all_categories().values():
        by_family[category.family] += 1
    assert len(by_family) == 7
    assert min(by_family.values()) >= 8


def test_descriptions_tell_how_it_sounds_and_not_what_it_is():
    descriptions = [category.description for category in all_categories().values()]
    assert len(set(descriptions)) == len(descriptions)
    for category in all_categories().values():
        words = {stem(word) for word in re.findall("[a-z]+", category.description.lower())}
        source = stem(category.name.split("_")[0])
        assert source not in words, category.name
        assert category.description[0].islower()
        assert not category.description.endswith(".")


def test_nobody_has_vouched_for_a_category_yet():
    assert all(category.recognised_by == () for category in all_categories().values())


@pytest.mark.slow
def test_edges_are_silent_and_reached_without_a_step(events):
    for (name, rate), event in events.items():
        samples = event.samples[0]
        silent = int(0.8 * EDGE_S * rate)
        assert not samples[:silent].any(), (name, rate)
        assert not samples[-silent:].any(), (name, rate)
        around = round(2.0 * EDGE_S * rate)
        peak = np.abs(samples).max()
        heard = np.flatnonzero(np.abs(samples[:around]) > 0)
        if heard.size:
            assert abs(samples[heard[0]]) < 0.02 * peak, (name, rate)
        assert abs(samples[np.flatnonzero(samples)[-1]]) < 0.02 * peak, (name, rate)


@pytest.mark.slow
def test_the_level_is_calibrated_and_nothing_clips(events):
    for key, event in events.items():
        level = gated_level_dbfs(event.samples, event.sample_rate_hz).value
        assert level == pytest.approx(ACTIVE_LEVEL_DBFS, abs=0.05), key
        assert true_peak_dbtp(event).value <= PEAK_CEILING_DBTP, key


@pytest.mark.slow
def test_there_is_no_dc(events):
    for key, event in events.items():
        samples = event.samples[0].astype(np.float64)
        assert abs(samples.mean()) < 10 ** (-50 / 20) * np.sqrt(np.mean(samples**2)), key


def test_events_are_on_the_16_bit_grid(events):
    for key, event in events.items():
        assert np.array_equal(event.samples * 32_768, np.round(event.samples * 32_768)), key


@pytest.mark.slow
def test_another_rate_is_the_same_event(events):
    for name in NAMES:
        fine = events[name, 48_000].samples[0].astype(np.float64)
        for rate in (16_000, 22_050):
            coarse = events[name, rate].samples[0].astype(np.float64)
            again = soxr.resample(fine, 48_000, rate, quality="VHQ")
            count = min(len(again), len(coarse))
            assert abs(len(again) - len(coarse)) <= 1
            again, coarse = again[:count], coarse[:count]
            gain = (again @ coarse) / (again @ again)
            rest = coarse - gain * again
            assert 10 * np.log10((rest @ rest) / (coarse @ coarse)) < -30.0, (name, rate)


@pytest.mark.slow
def test_telephone_bandwidth_keeps_every_category_audible(events):
    for name in NAMES:
        samples = events[name, 48_000].samples[0].astype(np.float64)
        power = np.abs(np.fft.rfft(samples)) ** 2
        below = np.fft.rfftfreq(len(samples), 1 / 48_000) < 3_600
        assert 10 * np.log10(power[below].sum() / power.sum()) > -10.0, name


def test_durations_are_as_declared(events):
    for name, category in all_categories().items():
        low, high = category.duration_s
        assert low <= events[name, 16_000].duration_s <= high, name


@pytest.mark.slow
def test_the_same_three_arguments_give_the_same_bits_in_another_process():
    code = (
        "from perturb.events.bank import render\n"
        "for name in ('dog_bark', 'rain', 'church_bell', 'laugh', 'car_horn'):\n"
        "    print(render(name, 11, 16_000).audio_sha256)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    here = [
        render(name, 11, 16_000).audio_sha256
        for name in ("dog_bark", "rain", "church_bell", "laugh", "car_horn")
    ]
    assert done.stdout.split() == here


@pytest.mark.slow
def test_another_seed_is_another_event(events):
    for name in NAMES:
        assert not render(name, 0, 8_000).is_equal(events[name, 8_000]), name


def test_peaks_that_no_level_allows_are_rounded_off():
    clicks = np.zeros(48_000)
    clicks[::4_800] = 1.0
    event = finish(clicks, 16_000)
    assert true_peak_dbtp(event).value <= PEAK_CEILING_DBTP
    level = gated_level_dbfs(event.samples, 16_000).value
    assert level == pytest.approx(ACTIVE_LEVEL_DBFS, abs=0.05)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("dog_brak", 0, 16_000), "did you mean dog_bark"),
        (("dog_bark", -1, 16_000), "seed is -1; accepted: 0 to"),
        (("dog_bark", 0, 4_000), "rate is 4000; accepted: 8000 to 48000 Hz"),
        (("dog_bark", 0, 96_000), "rate is 96000; accepted: 8000 to 48000 Hz"),
    ],
)
def test_what_cannot_be_rendered_is_refused(arguments, message):
    with pytest.raises(ParameterError, match=message):
        GeneratedBank().render(*arguments)


@pytest.mark.parametrize("name", ["dog_bark", "dog_bark#", "#3", "dog_bark#-1", "dog_bark#1.5"])
def test_what_names_no_event_is_refused(name):
    with pytest.raises(ParameterError, match="accepted: bank:CATEGORY#SEED"):
        parse_event(name)


def test_a_reference_is_the_event_at_48_khz():
    assert render_reference("dog_bark#3").is_equal(render("dog_bark", 3, 48_000))
    with pytest.raises(ParameterError, match="not in the bank"):
        find_category("dog")
