"""Altering traces: by hand, and as a careful forger would, with a seal that fits."""

from __future__ import annotations

import json

import msgspec

from perturb.plan.trace import Trace

__all__ = ["by_hand", "forged", "remove_field", "set_field"]


def by_hand(text, change):
    """Return the text of a trace with one change, its seal left as it was."""
    fields = json.loads(text)
    change(fields)
    return json.dumps(fields).encode()


def forged(text, change):
    """Return the text of a trace with one change and the seal of its new content."""
    fields = json.loads(text)
    change(fields)
    fields.pop("record_sha256", None)
    try:
        seal = msgspec.json.decode(json.dumps(fields), type=Trace).record_sha256
    except msgspec.DecodeError:
        seal = ""
    return json.dumps({**fields, "record_sha256": seal}).encode()


def set_field(*path_and_value):
    """Return a change: the value at the end of the path is put there."""
    *path, last, value = path_and_value

    def change(fields):
        for key in path:
            fields = fields[key]
        fields[last] = value

    return change


def remove_field(*path):
    """Return a change: what lies at the path is taken out."""

    def change(fields):
        for key in path[:-1]:
            fields = fields[key]
        del fields[path[-1]]

    return change
