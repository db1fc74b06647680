"""The JSON Schema of recipe and suite files, so that an editor completes and checks them."""

from __future__ import annotations

from typing import Any

import msgspec

from perturb.operators.registry import all_operators, operator_schema
from perturb.recipes.draws import Choice, Given, Integer, LogUniform, Uniform
from perturb.recipes.suite import CONDITION_NAME, Condition

__all__ = ["recipe_schema", "suite_schema"]

_DRAWS = (Uniform, LogUniform, Integer, Choice, Given)
_PAIR = {"type": "array", "items": {"type": "number"}, "minItems": 1, "maxItems": 2}


def recipe_schema() -> dict[str, Any]:
    """Return the schema of a recipe: each field of each operator, or a draw in its place."""
    definitions: dict[str, Any] = {}
    draws = []
    for kind in _DRAWS:
        name = kind.__struct_config__.tag
        schema = next(iter(msgspec.json.schema(kind)["$defs"].values()))
        schema["properties"].pop("draw", None)
        schema["required"] = [str(name)]
        definitions[f"draw_{name}"] = schema
        draws.append({"$ref": f"#/$defs/draw_{name}"})
    steps = []
    for op, operator in all_operators().items():
        table = operator_schema(operator)
        for name, schema in table["$defs"].items():
            definitions.setdefault(name, schema)
        own = definitions[operator.__name__]
        properties = {"op": {"const": op}, "at": _where_schema()}
        for field, schema in own["properties"].items():
            if field != "op":
                properties[field] = {"anyOf": [schema, *draws]}
        steps.append(
            {
                "type": "object",
                "properties": properties,
                "required": own.get("required", ["op"]),
                "additionalProperties": False,
            }
        )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "perturb recipe",
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "source": {"type": "string"},
            "stream": {"type": "string"},
            "step": {"type": "array", "minItems": 1, "items": {"anyOf": steps}},
        },
        "required": ["title", "step"],
        "additionalProperties": False,
        "$defs": definitions,
    }


def suite_schema() -> dict[str, Any]:
    """Return the schema of a suite."""
    definitions = msgspec.json.schema(Condition)["$defs"]
    condition = definitions["Condition"]
    condition["properties"]["name"]["pattern"] = f"^{CONDITION_NAME.pattern}$"
    condition["additionalProperties"] = False
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "perturb suite",
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "source": {"type": "string"},
            "condition": {
                "type": "array",
                "minItems": 1,
                "items": {"$ref": "#/$defs/Condition"},
            },
        },
        "required": ["title", "condition"],
        "additionalProperties": False,
        "$defs": definitions,
    }


def _where_schema() -> dict[str, Any]:
    relative = {
        "type": "object",
        "properties": {"relative": {"type": "array", "items": _PAIR}},
        "required": ["relative"],
        "additionalProperties": False,
    }
    anchor = {
        "type": "object",
        "properties": {"anchor": {"type": "string"}, "positions": _PAIR},
        "required": ["anchor"],
        "additionalProperties": False,
    }
    return {"anyOf": [_PAIR, {"type": "array", "items": _PAIR}, relative, anchor]}
