"""``perturb measure``: the instruments, for people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perturb.cli.options import Debug, Json
from perturb.cli.reporting import announce_compiling, print_json, print_table, slow_notice
from perturb.errors import ParameterError

if TYPE_CHECKING:
    from perturb.audio_io import AudioFile
    from perturb.measure.analysis import Analysis
    from perturb.measure.reading import Reading

__all__ = ["measure_command"]

Row = tuple[str, float | int | str | None, str, str | None]
"""Name, value, unit, and the reason where there is no value."""


def measure_command(
    path: Annotated[Path, typer.Argument(metavar="IN", help="An audio file.")],
    against: Annotated[
        Path | None, typer.Option("--against", metavar="BASE", help="The clip to compare it with.")
    ] = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Measure a clip: level, loudness, peak, activity, pitch, room; alone or against another."""
    from perturb.audio_io import read_audio
    from perturb.measure.analysis import Analysis

    announce_compiling()
    with slow_notice(f"measuring {path.name}"):
        source = read_audio(path)
        analysis = Analysis(source.signal)
        rows = _rows(source, analysis)
        if against is not None:
            base = read_audio(against)
            rows += _comparison(Analysis(base.signal), analysis)
    if json:
        values = {
            name: {"value": value, "unit": unit, "reason": reason}
            for name, value, unit, reason in rows
        }
        print_json("measure", {"path": str(path), "notes": source.notes, **values}, is_ok=True)
    else:
        print_table(("measured", "value", ""), [_cells(row) for row in rows])
        for note in source.notes:
            typer.echo(f"note: {note}")
    return 0


def _cells(row: Row) -> tuple[str, str, str]:
    name, value, unit, reason = row
    if value is None:
        return name.replace("_", " "), "–", reason or ""
    text = f"{value:.2f}" if isinstance(value, float) else str(value)
    return name.replace("_", " "), f"{text} {unit}".strip(), reason or ""


def _read(name: str, reading: Reading, unit: str) -> Row:
    return name, reading.value, unit, reading.reason


def _rows(source: AudioFile, analysis: Analysis) -> list[Row]:
    from perturb.measure.level import sample_peak_dbfs

    signal = analysis.signal
    active = analysis.active_level
    track, judge, activity = analysis.f0, analysis.f0_judge, analysis.activity
    no_voice = "no voiced frame" if track.median_hz is None else None
    return [
        ("format", f"{source.container} {source.subtype}", "", None),
        ("duration", signal.duration_s, "s", None),
        ("sample_rate", signal.sample_rate_hz, "Hz", None),
        ("channels", signal.channel_count, "", None),
        _read("rms_level", analysis.rms_dbfs, "dBFS"),
        _read("sample_peak", sample_peak_dbfs(signal.samples), "dBFS"),
        _read("true_peak", analysis.true_peak_dbtp, "dBTP"),
        _read("loudness", analysis.loudness_lufs, "LUFS"),
        ("active_speech_level", active.level_dbfs, "dBFS", active.reason),
        ("speech_activity", 100.0 * activity.active_share, "%", None),
        ("voiced", 100.0 * track.voiced_share, "%", None),
        ("f0_median", track.median_hz, "Hz", no_voice),
        ("f0_median_second_algorithm", judge.median_hz, "Hz", no_voice),
        _read("room_level", analysis.room.level_dbfs, "dBFS"),
    ]


def _comparison(base: Analysis, analysis: Analysis) -> list[Row]:
    import numpy as np

    from perturb.measure.cepstrum import cepstral_variance_ratio
    from perturb.measure.prosody import compare_f0, compare_levels

    before, after = base.signal, analysis.signal
    if before.sample_rate_hz != after.sample_rate_hz:
        raise ParameterError(
            f"--against has {before.sample_rate_hz} Hz, the clip {after.sample_rate_hz} Hz; "
            "accepted: two clips of one rate"
        )
    rows: list[Row] = [
        _read("rms_level_change", analysis.rms_dbfs.minus(base.rms_dbfs), "dB"),
        _read("loudness_change", analysis.loudness_lufs.minus(base.loudness_lufs), "LU"),
    ]
    pitch = compare_f0(base.f0_judge, analysis.f0_judge)
    for name, value, unit, field in (
        ("f0_median_error", pitch.median_error_cents, "cents", "median_error_cents"),
        ("f0_fine_error", pitch.fine_rmse_cents, "cents", "fine_rmse_cents"),
        ("f0_gross_error", _percent(pitch.gross_error_ratio), "%", "gross_error_ratio"),
        ("voicing_error", _percent(pitch.voicing_error_ratio), "%", "voicing_error_ratio"),
        ("f0_correlation", pitch.log_f0_correlation, "", "log_f0_correlation"),
    ):
        rows.append((name, value, unit, pitch.reasons.get(field)))
    if before.samples.shape != after.samples.shape:
        shapes = f"{before.samples.shape} against {after.samples.shape}"
        rows.append(("largest_difference", None, "", f"other length or channels: {shapes}"))
        return rows
    channel = base.strongest_channel
    old, new = before.samples[channel], after.samples[channel]
    level = compare_levels(old, new, before.sample_rate_hz)
    cepstra = cepstral_variance_ratio(old, new, before.sample_rate_hz)
    difference = float(np.max(np.abs(before.samples - after.samples)))
    rows += [
        ("level_correlation", level.correlation, "", level.reasons.get("correlation")),
        (
            "level_difference_sd",
            level.difference_sd_db,
            "dB",
            level.reasons.get("difference_sd_db"),
        ),
        ("cepstral_variance", _percent(cepstra.ratio), "%", cepstra.reason),
        ("largest_difference", difference, "of full scale", None),
    ]
    return rows


def _percent(ratio: float | None) -> float | None:
    return None if ratio is None else 100.0 * ratio
