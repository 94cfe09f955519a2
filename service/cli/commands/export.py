"""`thirdcard export`: the house's data as Parquet, or a trained model in the form in which it runs."""

from __future__ import annotations

import os
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from thirdcard.service.cli.commands.analytics import FROM_HELP, TIME_ZONE_HELP, parse_moment
from thirdcard.service.cli.commands.train import Trained
from thirdcard.service.cli.commands.training_scripts import run_script
from thirdcard.service.ports.errors import ServiceError

SCRIPTS = {
    Trained.DETECTOR: "thirdcard.models.detector.detector_export",
    Trained.READER: "thirdcard.models.reader.reader_export",
    Trained.INDEX_FINDER: "thirdcard.models.index.index_export",
    Trained.INDEX_READER: "thirdcard.models.index.index_export",
    Trained.STACK_HEIGHT: "thirdcard.models.stacks.height_export",
    Trained.STACK_CHANGE: "thirdcard.models.stacks.change_export",
    Trained.CHIP_FACES: "thirdcard.models.stacks.chip_faces_export",
    Trained.CLOTH_WORDS: "thirdcard.models.words.word_export",
}


class ExportUseError(ServiceError):
    """The arguments do not say what to export."""


def export(
    model: Annotated[Trained | None, typer.Argument(help="A trained model; without one, data.")] = None,
    settings: Annotated[
        list[str] | None, typer.Argument(help="Of a model: the checkpoint, then the script's own options after --.")
    ] = None,
    home: Annotated[Path | None, typer.Option(help="The service's folder.", exists=True, file_okay=False)] = None,
    out: Annotated[Path | None, typer.Option(help="The folder for the Parquet files.")] = None,
    from_: Annotated[str | None, typer.Option("--from", help=FROM_HELP)] = None,
    to: Annotated[str | None, typer.Option("--to", help="Before this moment, likewise.")] = None,
    names: Annotated[bool, typer.Option("--names", help="Write dealers' names; it is noted in the audit.")] = False,
    time_zone: Annotated[str | None, typer.Option(help=TIME_ZONE_HELP)] = None,
) -> None:
    """Write the house's data, or a trained model.

    Data: thirdcard export --home DIR --out DIR writes rounds, cards, wagers, alerts, decisions, events and tallies as
    Parquet, dealers by pseudonym.

    A model: thirdcard export detector CHECKPOINT --home DIR writes it as ONNX into DIR/models, or into the folder that
    THIRDCARD_MODELS names; one that is worse than the shipped ones may be is refused. It needs what `make train-setup`
    installs. The options of each: thirdcard export detector -- --help
    """
    if model is not None:
        if out is not None:
            raise ExportUseError(f"export {model}: --out is for data; the script's options go after --")
        run_script(SCRIPTS[model], [*(settings or []), *([] if home is None else ["--home", str(home)])])
    elif home is None or out is None:
        raise ExportUseError("export: needs --home DIR and --out DIR for data, or the name of a model")
    else:
        from thirdcard.service.config.house_yaml import load_house

        zone = time_zone or load_house(home, os.environ).time_zone
        _export_data(home, out, (parse_moment("--from", from_, zone), parse_moment("--to", to, zone)), names)


def _export_data(home: Path, out: Path, span: tuple[datetime | None, datetime | None], are_names_shown: bool) -> None:
    from thirdcard.service.analytics.house import open_house
    from thirdcard.service.analytics.looks import note_look
    from thirdcard.service.analytics.refreshing import refresh_all
    from thirdcard.service.config.data_folder import Home
    from thirdcard.service.export.reading import DataReader, ExportWish
    from thirdcard.service.export.shapes import SHAPES
    from thirdcard.service.export.writing import write_data
    from thirdcard.service.ports.clock import now_utc

    now, folder = now_utc(), Home(home)
    for name in SHAPES:
        folder.refuse_output(out / f"{name}.parquet", option="--out")
    with closing(folder.open_database(os.environ)) as database:
        house = open_house(home, "UTC")
        refresh_all(database, names_from=house.names_from(now))
        if are_names_shown:
            note_look(database, "command line", "export", now=now)
        wish = ExportWish(
            from_at=span[0],
            to_at=span[1],
            are_names_shown=are_names_shown,
            names_from=house.names_from(now),
        )
        with database.reading() as session:
            counts = write_data(out, DataReader(session, house, wish).parts())
    for name, count in counts.items():
        typer.echo(f"{out / name}.parquet: {count} rows")
