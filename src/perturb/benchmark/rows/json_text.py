r"""JSON as text: where its parts stand, so that one can be replaced and the others left alone.

Parsers hand out values and forget how they were written: 1.10, ``1e3``, ``\u00e9``, the order of
keys, the space between them. Here a value is found in the text, and only what changes is rewritten.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

__all__ = [
    "Encoding",
    "JsonTextError",
    "Part",
    "decode",
    "iter_parts",
    "parts",
    "rewrite",
    "skip_space",
]

_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_GAP = rb"[ \t\r\n]*+"
_SCALAR = _STRING + rb'|[^ \t\r\n,:\[\]{}"]++'
_SPACE = re.compile(_GAP)
_MEMBER = re.compile(
    rb"(" + _STRING + rb")" + _GAP + rb":" + _GAP + rb"(" + _SCALAR + rb")?+", re.S
)
_ELEMENT = re.compile(rb"()(" + _SCALAR + rb")?+", re.S)
_AFTER = re.compile(_GAP + rb"([,\]}])" + _GAP)
_BRACKET = re.compile(_STRING + rb"|[\[\]{}]", re.S)

_HALF = re.compile("[\ud800-\udfff]")


class JsonTextError(ValueError):
    """Text that is no JSON; `position` is the byte where that shows."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.position = position


class Part(NamedTuple):
    """One element of a list or one member of an object, by its places in the text.

    Parameters
    ----------
    start : int
        Where it begins: with its key in an object, else with its value.
    key_stop : int
        End of the key; equals `start` in a list.
    value_start, stop : int
        The value.
    """

    start: int
    key_stop: int
    value_start: int
    stop: int


class Encoding(NamedTuple):
    """How new values are written, as the file writes its own.

    Parameters
    ----------
    is_ascii : bool
        Whether characters beyond ASCII are escaped.
    is_compact : bool
        Whether commas and colons stand without a space after them.
    """

    is_ascii: bool
    is_compact: bool

    def encode(self, value: Any) -> bytes:
        """Return a value as JSON text in UTF-8."""
        separators = (",", ":") if self.is_compact else (", ", ": ")
        try:
            text = json.dumps(value, ensure_ascii=self.is_ascii, separators=separators)
            return text.encode()
        except UnicodeEncodeError:  # half of a surrogate pair, which only an escape can hold
            return json.dumps(value, separators=separators).encode()


def decode(text: bytes) -> Any:
    """Return the value of JSON text.

    NaN, infinities, numbers beyond the range of a double and lone surrogates, which Python's own
    parser lets pass and real files hold, pass here too.

    Raises
    ------
    ValueError
        No JSON, no UTF-8, or brackets within brackets beyond the interpreter's limit.
    """
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return json.loads(text.decode())
    except RecursionError:
        raise ValueError("lists or objects are nested too deeply") from None


def with_whole_characters(value: Any) -> Any:
    """Return a value whose halves of surrogate pairs, which no text can hold, are U+FFFD."""
    if isinstance(value, str):
        return _HALF.sub("\ufffd", value)
    if isinstance(value, list):
        return [with_whole_characters(element) for element in value]
    if isinstance(value, dict):
        return {
            with_whole_characters(key): with_whole_characters(element)
            for key, element in value.items()
        }
    return value


def skip_space(text: bytes, start: int) -> int:
    """Return the first place from `start` on that is no white space."""
    match = _SPACE.match(text, start)
    return match.end() if match else start


def parts(text: bytes, start: int) -> tuple[list[Part], int]:
    """Return the parts of the list or object that begins at `start`, and where it ends.

    Raises
    ------
    JsonTextError
        Brackets, quotes, commas or colons do not fit together.
    """
    found = list(iter_parts(text, start))
    last = skip_space(text, found[-1].stop if found else start + 1)
    return found, last + 1


def iter_parts(text: bytes, start: int) -> Iterator[Part]:
    """Yield the parts one by one; raises as `parts`, when it comes to it."""
    is_object = text[start : start + 1] == b"{"
    pattern, close = (_MEMBER, b"}") if is_object else (_ELEMENT, b"]")
    at = skip_space(text, start + 1)
    if text[at : at + 1] == close:
        return
    while True:
        match = pattern.match(text, at)
        if match is None:
            raise JsonTextError("expected a key in double quotes, and a colon", at)
        value_start, stop = match.span(2)
        if stop < 0:
            value_start = match.end()
            stop = _nested_stop(text, value_start)
        yield Part(at, match.end(1), value_start, stop)
        after = _AFTER.match(text, stop)
        if after is None or after[1] not in (b",", close):
            raise JsonTextError(f"expected a comma or {close.decode()}", skip_space(text, stop))
        if after[1] == close:
            return
        at = after.end()


def rewrite(text: bytes, value: Any, encoding: Encoding) -> bytes:
    """Return JSON text that says `value`; whatever `text` says already stays byte for byte.

    Objects with the same keys and lists of the same length are rewritten part by part.
    """
    old = decode(text)
    if encoding.encode(old) == encoding.encode(value):
        return text
    if not _have_same_shape(old, value):
        return encoding.encode(value)
    found, _ = parts(text, 0)
    values = list(value.values()) if isinstance(value, dict) else value
    if len(found) != len(values):  # a key stands twice
        return encoding.encode(value)
    return b"".join(_with_values(text, found, values, encoding))


def _with_values(
    text: bytes, found: list[Part], values: list[Any], encoding: Encoding
) -> Iterator[bytes]:
    at = 0
    for part, value in zip(found, values, strict=True):
        yield text[at : part.value_start]
        yield rewrite(text[part.value_start : part.stop], value, encoding)
        at = part.stop
    yield text[at:]


def _have_same_shape(old: Any, new: Any) -> bool:
    if isinstance(old, dict) and isinstance(new, dict):
        return list(old) == list(new)
    return isinstance(old, list) and isinstance(new, list) and len(old) == len(new)


def _nested_stop(text: bytes, start: int) -> int:
    if text[start : start + 1] not in (b"{", b"["):
        raise JsonTextError("expected a value", start)
    depth = 0
    for match in _BRACKET.finditer(text, start):
        sign = text[match.start()]
        if sign in b"{[":
            depth += 1
        elif sign in b"}]":
            depth -= 1
            if depth == 0:
                return match.end()
    raise JsonTextError("a bracket is never closed", start)
