"""Markup as text: elements with everything in them escaped, and the same bytes each time."""

from __future__ import annotations

import html
import re

__all__ = ["Attribute", "clean", "element", "escape", "number"]

Attribute = str | float | None

# What XML 1.0 cannot hold, escaped or not, and halves of characters, which UTF-8 cannot.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_REPLACEMENT = "\ufffd"


def clean(text: str) -> str:
    """Return a text in which every character can stand in a file."""
    return _UNWRITABLE.sub(_REPLACEMENT, text)


def escape(text: str) -> str:
    """Return a text as it stands between tags or in an attribute.

    Examples
    --------
    >>> escape('<a & "b">')
    '&lt;a &amp; &quot;b&quot;&gt;'
    """
    return html.escape(clean(text))


def number(value: float) -> str:
    """Return a coordinate: two decimals at most, nothing superfluous.

    Examples
    --------
    >>> number(12.0), number(0.125), number(-0.001)
    ('12', '0.12', '0')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def element(name: str, *children: str, **attributes: Attribute) -> str:
    """Return an element.

    Parameters
    ----------
    name : str
        Of the tag.
    *children : str
        Markup that is escaped already.
    **attributes : str, float or None
        Escaped here; None leaves one out. `class_` and `stroke_width` are written `class` and
        `stroke-width`.

    Examples
    --------
    >>> element("text", escape("a < b"), x=1.5, class_="tick")
    '<text x="1.5" class="tick">a &lt; b</text>'
    >>> element("line", x1=0, x2=10)
    '<line x1="0" x2="10"/>'
    """
    parts = [name]
    for key, value in attributes.items():
        if value is not None:
            text = escape(value) if isinstance(value, str) else number(value)
            parts.append(f'{key.rstrip("_").replace("_", "-")}="{text}"')
    inside = "".join(children)
    opened = " ".join(parts)
    return f"<{opened}>{inside}</{name}>" if inside else f"<{opened}/>"
