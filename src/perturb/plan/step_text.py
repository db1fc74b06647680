"""The step as text: ``NAME[:field=value,…][@start[-stop][+start[-stop]…]]``, seconds.

The span is the last ``@`` followed to the end by plain numbers. Fields split at commas outside
quotes and brackets; a key may be dotted; a value is a TOML value, else a bare string.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

import msgspec

from perturb.errors import ParameterError
from perturb.operators.registry import operator_from_fields
from perturb.plan.step import Role, Step
from perturb.record import Record, describe_fields
from perturb.span import Span

__all__ = ["format_step", "parse_span_list", "parse_step", "parse_value"]

_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_SHORT_FLOAT = re.compile(r"[+-]?(?:\.\d+|\d+\.)(?:[eE][+-]?\d+)?", re.ASCII)
_SPAN = rf"{_NUMBER}(?:-{_NUMBER})?"
_SPANS_AT_END = re.compile(rf"@({_SPAN}(?:\+{_SPAN})*)\Z")
_SPANS_MEANT = re.compile(r"@([-+.:\deEinfa]*)\Z")
_SPAN_PARTS = re.compile(rf"({_NUMBER})(?:-({_NUMBER}))?")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_KEY = re.compile(r"[a-zA-Z_]\w*")
_DOTTED_KEY = re.compile(rf"{_KEY.pattern}(?:\.{_KEY.pattern})*")
_CLOSERS = {"[": "]", "{": "}"}
_SPECIAL = frozenset(",@'\"[]{}()=")
_SHORTHANDS = {"file": ("ref", "file:{}")}


def parse_step(text: str, role: Role = "probe") -> Step:
    """Read one step.

    Parameters
    ----------
    text : str
        As on the command line, e.g. ``gain:gain_db=10@1.0-2.5``.
    role : {'probe', 'sham'}
        Role of the step.

    Returns
    -------
    Step

    Raises
    ------
    ParameterError
        The text does not follow the grammar, or the operator refuses its fields.

    Examples
    --------
    >>> step = parse_step("gain:gain_db=10@1.0-2.5+4-5")
    >>> step.operator.gain_db, [str(span) for span in step.spans]
    (10.0, ['@1-2.5', '@4-5'])
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ParameterError(f"step {text!r} is not valid UTF-8; rename what it names") from None
    body, spans = _split_spans(text)
    name, colon, rest = body.partition(":")
    name = name.strip()
    if not colon and "@" in name and _NAME.fullmatch(name.partition("@")[0]):
        raise ParameterError(f"step {text!r}: {_no_span(name.partition('@')[2])}")
    if not _NAME.fullmatch(name):
        raise ParameterError(
            f"step {text!r}: {name!r} is not the name of an operator; "
            "accepted: NAME[:field=value,…][@start[-stop]+…]"
        )
    fields: dict[str, Any] = {"op": name}
    if colon and not rest.strip():
        raise ParameterError(f"step {text!r}: nothing follows the colon")
    for part in _split_fields(rest, text) if rest else ():
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals or not _DOTTED_KEY.fullmatch(key):
            raise ParameterError(f"step {text!r}: {part.strip()!r} is not field=value")
        _set_field(fields, key, value.strip(), text)
    try:
        operator = operator_from_fields(fields)
    except ParameterError as error:
        meant = _SPANS_MEANT.search(body)
        if meant is None:
            raise
        raise ParameterError(f"{error}; {_no_span(meant.group(1))}") from None
    return Step(operator=operator, spans=spans, role=role)


def _no_span(text: str) -> str:
    return f"@{text} is not a span; accepted: @start[-stop][+start[-stop]…], seconds from 0 on"


def format_step(step: Step) -> str:
    """Return a step as text that `parse_step` reads back to an equal step (of the same role).

    Raises
    ------
    ParameterError
        A field is None where its default is not: the grammar has no word for that.
    """
    fields = msgspec.to_builtins(step.operator)
    name = fields.pop("op")
    kind: type[Record] = type(step.operator)
    defaults = {info.name: info.default for info in describe_fields(kind)}
    parts: list[str] = []
    for field, value in fields.items():
        if value is None and defaults[field] is None:
            continue
        parts.extend(f"{key}={_format_value(part, key)}" for key, part in _flatten(field, value))
    spans = "+".join(
        f"{_format_number(span.start_s)}"
        + ("" if span.stop_s is None else f"-{_format_number(span.stop_s)}")
        for span in step.spans
    )
    return str(name) + (":" + ",".join(parts) if parts else "") + (f"@{spans}" if spans else "")


def parse_span_list(text: str) -> tuple[Span, ...]:
    """Read spans alone: ``start[-stop][+start[-stop]…]``, seconds.

    Raises
    ------
    ParameterError
        The text does not follow the grammar.
    """
    rest, spans = _split_spans(f"@{text.strip()}")
    if rest or not spans:
        raise ParameterError(f"spans {text!r}; accepted: start-stop[+start-stop…], seconds")
    return spans


def _split_spans(text: str) -> tuple[str, tuple[Span, ...]]:
    match = _SPANS_AT_END.search(text)
    if match is None:
        return text, ()
    spans = []
    for start, stop in _SPAN_PARTS.findall(match.group(1)):
        spans.append(Span(float(start), float(stop) if stop else None))
    return text[: match.start()], tuple(spans)


def _split_fields(text: str, whole: str) -> list[str]:
    parts: list[str] = []
    current = ""
    quote = ""
    is_escaped = False
    open_brackets: list[str] = []
    for char in text:
        if quote:
            if char == quote and not is_escaped:
                quote = ""
            # TOML's literal strings, in single quotes, know no escapes.
            is_escaped = char == "\\" and quote == '"' and not is_escaped
        elif char in "\"'" and _opens_value(current):
            quote = char
        elif char in _CLOSERS and (open_brackets or _opens_value(current)):
            open_brackets.append(_CLOSERS[char])
        elif open_brackets and char == open_brackets[-1]:
            open_brackets.pop()
        elif char == "," and not open_brackets:
            parts.append(current)
            current = ""
            continue
        current += char
    if quote or open_brackets:
        missing = quote or open_brackets[-1]
        raise ParameterError(f"step {whole!r}: a closing {missing} is missing")
    return [*parts, current]


def _opens_value(before: str) -> bool:
    """Whether a quote or bracket here opens a value, rather than standing in a bare path."""
    return before.rstrip()[-1:] in ("=", "[", "{", ",")


def parse_value(text: str) -> Any:
    """Return a TOML value, or the text itself where it is none; .5 and 1. are numbers, too."""
    if _SHORT_FLOAT.fullmatch(text):
        return float(text)
    if "\n" in text or "\r" in text:
        return text
    try:
        # Inside a list, so that no comment can swallow the end of a value: 3 #1 is bare text.
        values = tomllib.loads(f"values = [{text}, 0]")["values"]
    except (ValueError, RecursionError):  # no TOML, more digits or brackets than Python reads
        return text
    return values[0] if len(values) == 2 else text


def _set_field(fields: dict[str, Any], key: str, text: str, whole: str) -> None:
    value = parse_value(text)
    if value is text and text[:1] in ("'", '"'):
        raise ParameterError(f"step {whole!r}: {text} does not read as a quoted string")
    if key in _SHORTHANDS:
        key, pattern = _SHORTHANDS[key]
        # A file may be called 1e3 or true: only quotes make its name a value.
        value = pattern.format(value if isinstance(value, str) else text)
    *parents, last = key.split(".")
    table = fields
    for parent in parents:
        table = table.setdefault(parent, {})
        if not isinstance(table, dict):
            raise ParameterError(f"step {whole!r}: {parent} is both a value and a table")
    if last in table:
        raise ParameterError(f"step {whole!r}: {key} is given twice")
    table[last] = value


def _flatten(key: str, value: Any) -> list[tuple[str, Any]]:
    """Return a table as dotted keys, as far as its own keys allow it."""
    if not isinstance(value, dict) or not value or not all(map(_KEY.fullmatch, value)):
        return [(key, value)]
    return [pair for name, part in value.items() for pair in _flatten(f"{key}.{name}", part)]


def _format_value(value: Any, key: str) -> str:
    """Return a value as TOML, or as bare text where that reads back to the same."""
    is_bare = (
        isinstance(value, str)
        and value.isprintable()
        and not set(value) & _SPECIAL
        and value == value.strip()
        and parse_value(value) == value
    )
    return str(value) if is_bare else _format_toml(value, key)


def _format_toml(value: Any, key: str) -> str:
    if value is None:
        raise ParameterError(f"{key} is none, which has no word in the text of a step")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_format_toml(item, key) for item in value) + "]"
    if isinstance(value, dict):
        pairs = (f"{_quote(str(k))} = {_format_toml(item, key)}" for k, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    return _quote(str(value))


def _quote(text: str) -> str:
    # JSON's escapes are TOML's, which wants DEL escaped as well.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _format_number(value: float) -> str:
    text = repr(value)
    return text[:-2] if text.endswith(".0") else text
