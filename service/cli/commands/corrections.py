"""`thirdcard corrections`: what people corrected, for the next training."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from thirdcard.service.cli.commands.serve import HOME_HELP

corrections_app = typer.Typer(help="What people corrected in rounds.", no_args_is_help=True)


@corrections_app.callback()
def corrections() -> None:
    """What people corrected in rounds."""


@corrections_app.command("export")
def export_cards(
    home: Annotated[Path, typer.Option(help=HOME_HELP)],
    out: Annotated[Path, typer.Option(help="Where crops, labels and the manifest are written.")],
) -> None:
    """Write the cards that were corrected, cut out and labelled, as `thirdcard train reader -- --photos` takes them."""
    from thirdcard.service.config.data_folder import Home
    from thirdcard.service.corrections.export import CardModels, export_corrections

    folder = Home(home)
    for name in ("crops", "images", "annotations.json", "manifest.json"):
        folder.refuse_output(out / name, option="--out")
    folder.use_models(os.environ)
    database = folder.open_database(os.environ)
    try:
        written = export_corrections(database, folder.evidence, out, CardModels.open())
    finally:
        database.close()
    typer.echo(f"{written.cards} cards written to {out}; {written.not_found} were not found in their pictures.")
