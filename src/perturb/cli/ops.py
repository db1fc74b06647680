"""``perturb ops``: which operators there are, and all about one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from perturb.cli.options import Debug, Json
from perturb.cli.reporting import print_json, print_table

if TYPE_CHECKING:
    from perturb.operators.protocol import Operator

__all__ = ["ops_command"]


def ops_command(
    name: Annotated[str | None, typer.Argument(help="One operator, in full.")] = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """List the operators: fields, units, ranges, what each keeps and destroys, proof, source."""
    from perturb.operators.registry import all_operators, operator_class

    kinds = all_operators() if name is None else {name: operator_class(name)}
    if json:
        print_json("ops", [_describe(kind) for kind in kinds.values()], is_ok=True)
    elif name is None:
        rows = [(op, _summary(kind), kind.sham_description) for op, kind in kinds.items()]
        print_table(("operator", "what it does", "its sham"), rows)
    else:
        _print_one(kinds[name])
    return 0


def _summary(kind: type[Operator]) -> str:
    return (kind.__doc__ or "").strip().splitlines()[0] if kind.__doc__ else ""


def _describe(kind: type[Operator]) -> dict[str, Any]:
    from perturb.operators.registry import operator_schema
    from perturb.record import describe_fields

    return {
        "name": kind.op_name(),
        "summary": _summary(kind),
        "fields": [
            {
                "name": info.name,
                "unit": info.unit,
                "accepted": info.accepted,
                "default": msgspec.to_builtins(info.default),
                "required": info.is_required,
                "description": info.description,
            }
            for info in describe_fields(kind)
        ],
        "ledger": msgspec.to_builtins(kind.ledger_table()),
        "sham_kind": kind.sham_kind,
        "sham": kind.sham_description,
        "proof": kind.proof_description,
        "source": kind.source,
        "schema": operator_schema(kind),
    }


def _print_one(kind: type[Operator]) -> None:
    about = _describe(kind)
    typer.echo(f"{about['name']}: {about['summary']}\n")
    rows = [
        (field["name"], _default(field), field["accepted"], field["description"])
        for field in about["fields"]
    ]
    if rows:
        print_table(("field", "default", "accepted", "meaning"), rows)
        typer.echo("")
    for label, ledger in about["ledger"].items():
        if not ledger["keeps"] and not ledger["destroys"]:
            typer.echo(f"ledger    nothing is promised{label and f': {label}'}")
            continue
        prefix = f"{label}: " if label else ""
        typer.echo(f"{prefix}keeps     {', '.join(ledger['keeps']) or 'nothing'}")
        typer.echo(f"{prefix}destroys  {', '.join(ledger['destroys']) or 'nothing'}")
    typer.echo(f"sham      {about['sham']}")
    typer.echo(f"proof     {about['proof']}")
    typer.echo(f"source    {about['source']}")


def _default(field: dict[str, Any]) -> str:
    if field["required"]:
        return "required"
    return "–" if field["default"] is None else str(field["default"])
