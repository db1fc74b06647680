"""`Record`: the base of every frozen value that is written to disk.

msgspec gives the dump, the load and the JSON Schema; it does not validate on construction, so the
base class checks itself: types, ranges and finiteness, naming field, value, range and unit.
"""

from __future__ import annotations

import functools
import inspect
import math
from typing import Any, get_args, get_origin

import msgspec
import numpy as np
from msgspec import inspect as msginspect

from perturb.errors import ParameterError

__all__ = ["FieldInfo", "Record", "bounds", "describe_fields"]


def bounds(
    low: float | None, high: float | None, unit: str, description: str, *, open_low: bool = False
) -> msgspec.Meta:
    """Return the annotation of a numeric field: its range (inclusive), unit and meaning.

    Parameters
    ----------
    low, high : float or None
        Accepted range; None where there is no limit. `open_low` excludes `low` itself.
    unit : str
        Unit as it is printed: 'dB', 'Hz', 's', 'x', or '' for a plain number.
    description : str
        One line for `perturb ops`.
    open_low : bool
        Whether the lower end is excluded.
    """
    limits: dict[str, Any] = {}
    if low is not None:
        limits["gt" if open_low else "ge"] = low
    if high is not None:
        limits["le"] = high
    return msgspec.Meta(
        **limits,
        description=description,
        extra={"unit": unit},
        extra_json_schema={"unit": unit} if unit else None,
    )


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A frozen record that is valid or does not exist.

    Raises
    ------
    ParameterError
        Any field of the wrong type, outside its range, or not finite. Every problem is named.
    """

    def __post_init__(self) -> None:
        problems = []
        for info in describe_fields(type(self)):
            value = getattr(self, info.name)
            if isinstance(value, np.generic):
                value = value.item()
            try:
                converted = msgspec.convert(value, info.annotation)
            except msgspec.ValidationError:
                problems.append(f"{info.name} is {value!r}; accepted: {info.accepted}")
                continue
            if isinstance(converted, float) and not math.isfinite(converted):
                problems.append(f"{info.name} is {converted!r}; accepted: {info.accepted}")
                continue
            if converted is not value or value is not getattr(self, info.name):
                msgspec.structs.force_setattr(self, info.name, converted)
        if problems:
            raise ParameterError(f"{record_name(type(self))}: " + "; ".join(problems))
        self.check()

    def check(self) -> None:
        """Check what no single field can say; subclasses raise `ParameterError` here."""


class FieldInfo(msgspec.Struct, frozen=True):
    """What is known of one field: for messages, `perturb ops` and the docs."""

    name: str
    annotation: Any
    unit: str
    description: str
    accepted: str
    default: Any
    is_required: bool


def record_name(kind: type[Record]) -> str:
    """Return the name under which a record's errors speak: its tag, else its class name."""
    tag = kind.__struct_config__.tag
    return str(tag) if tag is not None else kind.__name__


@functools.cache
def describe_fields(kind: type[Record]) -> tuple[FieldInfo, ...]:
    """Return unit, meaning, accepted range and default of each field of a record class.

    The meaning is what the class's docstring says of the field, else the annotation's line.
    """
    described = []
    documented = _documented(kind.__doc__ or "")
    for item in msgspec.structs.fields(kind):
        metas = _metas(item.type)
        unit = next((m.extra["unit"] for m in metas if m.extra and "unit" in m.extra), "")
        line = next((m.description for m in metas if m.description), "")
        text = documented.get(item.name, line)
        default = item.default
        if item.default_factory is not msgspec.NODEFAULT:
            default = item.default_factory()
        described.append(
            FieldInfo(
                name=item.name,
                annotation=item.type,
                unit=unit,
                description=text,
                accepted=_accepted(msginspect.type_info(item.type), unit),
                default=None if item.required else default,
                is_required=item.required,
            )
        )
    return tuple(described)


def _documented(docstring: str) -> dict[str, str]:
    """Return the description of each parameter in a numpydoc section, on one line."""
    found: dict[str, list[str]] = {}
    names: list[str] = []
    _, _, section = docstring.partition("Parameters\n")
    lines = inspect.cleandoc(section).splitlines()
    for number, line in enumerate(lines):
        is_next_section = number + 1 < len(lines) and set(lines[number + 1]) == {"-"}
        if number > 0 and is_next_section:
            break
        if line.startswith(" "):
            for name in names:
                found[name].append(line.strip())
        elif " : " in line:
            names = [name.strip() for name in line.partition(" : ")[0].split(",")]
            found.update({name: [] for name in names})
    return {name: " ".join(text) for name, text in found.items()}


def _metas(annotation: Any) -> list[msgspec.Meta]:
    found = [part for part in get_args(annotation) if isinstance(part, msgspec.Meta)]
    if get_origin(annotation) is not None:
        for part in get_args(annotation):
            if not isinstance(part, msgspec.Meta):
                found.extend(_metas(part))
    return found


def _accepted(info: msginspect.Type, unit: str) -> str:
    if isinstance(info, msginspect.Metadata):
        return _accepted(info.type, unit)
    if isinstance(info, msginspect.UnionType):
        return " or ".join(_accepted(part, unit) for part in info.types)
    if isinstance(info, msginspect.LiteralType):
        return ", ".join(repr(value) for value in info.values)
    if isinstance(info, msginspect.NoneType):
        return "none"
    if isinstance(info, msginspect.FloatType | msginspect.IntType):
        kind = "a finite number" if isinstance(info, msginspect.FloatType) else "a whole number"
        low = info.ge if info.ge is not None else info.gt
        edge = "above " if info.gt is not None else ""
        suffix = f" {unit}" if unit else ""
        if low is not None and info.le is not None:
            return f"{kind}, {edge}{low:g} to {info.le:g}{suffix}"
        if low is not None:
            return f"{kind}, {edge or 'at least '}{low:g}{suffix}"
        if info.le is not None:
            return f"{kind}, at most {info.le:g}{suffix}"
        return f"{kind}{f' in{suffix}' if unit else ''}"
    names = {
        msginspect.BoolType: "true or false",
        msginspect.StrType: "text",
        msginspect.ListType: "a list",
        msginspect.VarTupleType: "a list",
        msginspect.TupleType: "a list",
        msginspect.DictType: "a table",
    }
    for kind_info, text in names.items():
        if isinstance(info, kind_info):
            return text
    return getattr(getattr(info, "cls", None), "__name__", type(info).__name__)
