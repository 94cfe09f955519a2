"""`thirdcard schema`: the JSON Schema of the files that a house writes, for editors."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def schema(
    name: Annotated[
        str | None, typer.Argument(help="table, layout, chips, house or rulebook; without it the names are listed.")
    ] = None,
    all_names: Annotated[bool, typer.Option("--list", help="List the names.")] = False,
    out: Annotated[
        Path | None, typer.Option(help="A folder to write to: NAME.json, or every schema without a NAME.")
    ] = None,
) -> None:
    """Print the JSON Schema of a file format, made from what parses it.

    An editor with a YAML language server completes keys where the file's first line names a schema:
    # yaml-language-server: $schema=table.json
    """
    from thirdcard.service.config.output_files import written
    from thirdcard.service.docgen.schemas import SCHEMAS, format_schema

    if out is not None and not all_names:
        texts = {wanted: format_schema(wanted) for wanted in ([name] if name else SCHEMAS)}
        out.mkdir(parents=True, exist_ok=True)
        for wanted, text in texts.items():
            with written(out / f"{wanted}.json", option="--out") as draft:
                draft.write_text(text, encoding="utf-8")
    elif name is None or all_names:
        sys.stdout.write("".join(f"{wanted}\n" for wanted in SCHEMAS))
    else:
        sys.stdout.write(format_schema(name))
