"""``perturb recipes``: the catalogue, and all about one recipe or suite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from perturb.cli.options import Debug, Json
from perturb.cli.reporting import print_json, print_table

if TYPE_CHECKING:
    from perturb.recipes.recipe import Recipe
    from perturb.recipes.suite import Suite

__all__ = ["recipes_command"]


def recipes_command(
    name: Annotated[
        str | None, typer.Argument(help="One recipe or suite: its name, or a .toml file.")
    ] = None,
    schema: Annotated[
        str | None,
        typer.Option("--schema", help="Print the JSON Schema of 'recipe' or 'suite' files."),
    ] = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """List the recipes and suites of the catalogue, or check and show one."""
    from perturb.recipes.catalogue import catalogue_names

    if schema is not None:
        return _print_schema(schema)
    names = catalogue_names() if name is None else (name,)
    described = [_describe(each) for each in names]
    if json:
        print_json("recipes", described, is_ok=True)
    elif name is None:
        rows = [(item["name"], item["kind"], item["title"]) for item in described]
        print_table(("name", "kind", "what it does"), rows)
    else:
        _print_one(described[0])
    return 0


def _print_schema(kind: str) -> int:
    from perturb.errors import ParameterError
    from perturb.recipes.schema import recipe_schema, suite_schema

    schemas = {"recipe": recipe_schema, "suite": suite_schema}
    if kind not in schemas:
        raise ParameterError(f"schema is {kind!r}; accepted: {', '.join(schemas)}")
    typer.echo(msgspec.json.format(msgspec.json.encode(schemas[kind]())).decode())
    return 0


def _describe(name: str) -> dict[str, Any]:
    from perturb.recipes.catalogue import is_suite, load_recipe, load_suite

    return (
        _describe_suite(load_suite(name)) if is_suite(name) else _describe_recipe(load_recipe(name))
    )


def _describe_recipe(recipe: Recipe) -> dict[str, Any]:
    from perturb.recipes.ledger import recipe_ledger
    from perturb.recipes.parsing import dump_recipe

    return {
        "name": recipe.name,
        "kind": "recipe",
        **dump_recipe(recipe),
        "ledger": msgspec.to_builtins(recipe_ledger(recipe)),
        "given": list(recipe.given_names),
        "needs_spans": recipe.needs_spans,
    }


def _describe_suite(suite: Suite) -> dict[str, Any]:
    from perturb.recipes.condition_text import describe_condition

    return {
        "name": suite.name,
        "kind": "suite",
        "title": suite.title,
        "source": suite.source,
        "condition": [
            {**msgspec.to_builtins(condition), "summary": describe_condition(condition)}
            for condition in suite.conditions
        ],
    }


def _print_one(about: dict[str, Any]) -> None:
    typer.echo(f"{about['name']}: {about['title']}\n")
    if about["kind"] == "suite":
        conditions = [(item["name"], item["summary"]) for item in about["condition"]]
        print_table(("condition", "what it is"), conditions)
    else:
        rows = [
            (step["op"], key, _plain(value))
            for step in about["step"]
            for key, value in step.items()
            if key != "op" or len(step) == 1
        ]
        print_table(("step", "field", "value"), rows)
        ledger = about["ledger"]
        typer.echo(f"keeps     {', '.join(ledger['keeps']) or 'nothing'}")
        typer.echo(f"destroys  {', '.join(ledger['destroys']) or 'nothing'}")
        for name in about["given"]:
            typer.echo(f"give      --set {name}=…")
        if about["needs_spans"]:
            typer.echo("give      --at start-stop[+start-stop…]")
    typer.echo(f"source    {about['source']}")


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_plain(part)}" for key, part in value.items())
    if isinstance(value, list | tuple):
        return " to ".join(_plain(part) for part in value)
    return str(value)
