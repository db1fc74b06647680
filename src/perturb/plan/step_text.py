"""The step as text: ``NAME[:field=value,…][@start[-stop][+start[-stop]…]]``, seconds.

The span is the last ``@`` followed to the end by plain numbers. Fields split at commas outside
quotes and brackets; a key may be dotted; a value is a TOML value, else a bare string.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

import msgspec

from perturb.errors import ParameterError
from perturb.operators.registry import operator_from_fields
from perturb.plan.step import Role, Step
from perturb.span import Span

__all__ = ["format_step", "parse_step"]

_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_SPAN = rf"{_NUMBER}(?:-{_NUMBER})?"
_SPANS_AT_END = re.compile(rf"@({_SPAN}(?:\+{_SPAN})*)$")
_SPAN_PARTS = re.compile(rf"({_NUMBER})(?:-({_NUMBER}))?")
_CLOSERS = {"[": "]", "{": "}"}
_SPECIAL = frozenset(",@'\"[]{}()=\n")
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
    body, spans = _split_spans(text)
    name, colon, rest = body.partition(":")
    name = name.strip()
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
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
        if not equals or not re.fullmatch(r"[a-zA-Z_][\w]*(\.[a-zA-Z_]\w*)*", key):
            raise ParameterError(f"step {text!r}: {part.strip()!r} is not field=value")
        _set_field(fields, key, _parse_value(value), text)
    return Step(operator=operator_from_fields(fields), spans=spans, role=role)


def format_step(step: Step) -> str:
    """Return a step as text that `parse_step` reads back to an equal step (of the same role)."""
    fields = msgspec.to_builtins(step.operator)
    name = fields.pop("op")
    parts = [f"{key}={_format_value(value)}" for key, value in _flatten(fields)]
    spans = "+".join(
        f"{_format_number(span.start_s)}"
        + ("" if span.stop_s is None else f"-{_format_number(span.stop_s)}")
        for span in step.spans
    )
    return str(name) + (":" + ",".join(parts) if parts else "") + (f"@{spans}" if spans else "")


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
    open_brackets: list[str] = []
    for char in text:
        if quote:
            quote = "" if char == quote else quote
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


def _parse_value(text: str) -> Any:
    text = text.strip()
    try:
        return tomllib.loads(f"value = {text}")["value"] if "\n" not in text else text
    except tomllib.TOMLDecodeError:
        return text


def _set_field(fields: dict[str, Any], key: str, value: Any, whole: str) -> None:
    if key in _SHORTHANDS:
        key, pattern = _SHORTHANDS[key]
        value = pattern.format(value)
    *parents, last = key.split(".")
    table = fields
    for parent in parents:
        table = table.setdefault(parent, {})
        if not isinstance(table, dict):
            raise ParameterError(f"step {whole!r}: {parent} is both a value and a table")
    if last in table:
        raise ParameterError(f"step {whole!r}: {key} is given twice")
    table[last] = value


def _flatten(fields: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for key, value in fields.items():
        if isinstance(value, dict):
            found.extend(_flatten(value, f"{prefix}{key}."))
        elif value is not None:
            found.append((f"{prefix}{key}", value))
    return found


def _format_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if (
        isinstance(value, str)
        and _parse_value(value) == value
        and not set(value) & set(",@'\"[]{}()=\n")
    ):
        return value
    if isinstance(value, list | tuple):
        return "[" + ",".join(_format_item(item) for item in value) + "]"
    return _format_item(value)


def _format_item(value: Any) -> str:
    if isinstance(value, list | tuple | bool | int | float):
        return _format_value(value)
    return msgspec.json.encode(value).decode()


def _format_number(value: float) -> str:
    text = repr(value)
    return text[:-2] if text.endswith(".0") else text
