"""How wide a text will be, without the font that will draw it.

Widths are those of DejaVu Sans or more, the widest of the fonts that systems fall back on, so that
what fits here fits everywhere.
"""

from __future__ import annotations

import unicodedata

__all__ = ["BOLD", "shorten", "width_of"]

_ELLIPSIS = "…"
# Advance widths of the printable characters of ASCII in DejaVu Sans, in hundredths of its size.
# fmt: off
_ASCII = (
    32, 41, 46, 84, 64, 96, 78, 28, 40, 40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 54, 100, 69, 69, 70, 78, 64, 58, 78, 76, 30, 30, 66, 56, 87, 75, 79,
    61, 79, 70, 64, 62, 74, 69, 99, 69, 62, 69, 40, 34, 40, 84, 50, 50, 62, 64, 55, 64, 62, 36, 64,
    64, 28, 28, 58, 28, 98, 64, 62, 64, 64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84,
)
# fmt: on
_FIRST_ASCII = 32
_ROUNDING = 1.05  # screens round the width of each character
_OTHER_EM, _WIDE_EM, BOLD = 0.84, 1.05, 1.15


def width_of(text: str, size_px: float) -> float:
    """Return an upper limit of the width of a text on one line, in pixels."""
    return _ROUNDING * size_px * sum(_width_em(character) for character in text)


def _width_em(character: str) -> float:
    if character.isascii() and character.isprintable():
        return _ASCII[ord(character) - _FIRST_ASCII] / 100.0
    if character == _ELLIPSIS:
        return 1.0
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(character) in ("W", "F"):
        return _WIDE_EM
    return _OTHER_EM


def shorten(text: str, room_px: float, size_px: float) -> str:
    """Return a text that fits, its middle left out where it is too long: names differ at the ends.

    Examples
    --------
    >>> shorten("prosody_only", 200, 12)
    'prosody_only'
    >>> shorten("a_very_long_name_of_a_condition_sham", 120, 12)
    'a_very_…on_sham'
    """
    if width_of(text, size_px) <= room_px:
        return text
    kept = len(text) - 1
    while kept > 0:
        tail = kept // 2
        candidate = text[: kept - tail] + _ELLIPSIS + (text[-tail:] if tail else "")
        if width_of(candidate, size_px) <= room_px:
            return candidate
        kept -= 1
    return _ELLIPSIS
