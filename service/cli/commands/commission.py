"""`thirdcard commission`: how well the system sees this table, without labels, and whether it is fit to be watched."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from thirdcard.service.commission.commissioning import TableCommission
    from thirdcard.service.commission.measures import CommissionFilm

DEFAULT_OUT = Path("out") / "commission"


def commission(
    table: Annotated[Path, typer.Argument(metavar="TABLE", help="A table.yaml, or the folder that holds one.")],
    films: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILM…", help="Films of that table, or folders of recordings; no truth is read."),
    ] = None,
    home: Annotated[
        Path | None,
        typer.Option(help="The service's folder: without films the table's last live hour is taken from its store."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the page, the PDF and what each watch finds.")] = DEFAULT_OUT,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON object on standard output instead of text.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing while watching.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Plain lines instead of the live view.")] = False,
) -> None:
    """Say how well a table is seen, without labels: fit, fit with limits, or not fit, and why.

    In the output folder: commission.html, commission.pdf, commission.json, pictures of the least sure cards, and a
    folder for each film.

    Exit status 0: fit, perhaps with limits. 1: not fit. 2: nothing could be watched.
    """
    from thirdcard.service.commission.commissioning import CommissionError, commission_table
    from thirdcard.service.commission.report import as_json as values_of
    from thirdcard.service.commission.report import write_reports
    from thirdcard.service.commission.verdict import Fitness
    from thirdcard.service.ports.clock import now_utc
    from thirdcard.service.watch.recording_run import OutputError

    if bool(films) == (home is not None):
        raise CommissionError("give films of the table, or --home for its last live hour; one of the two")
    seen = _stored(table, home) if home is not None else _watched(table, films or [], out, quiet=quiet, plain=plain)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"--out = {out}; must be a folder that can be written: {error.strerror}") from error
    found = commission_table(table, seen)
    write_reports(found, out, now=now_utc())
    if as_json:
        typer.echo(json.dumps(values_of(found), ensure_ascii=False, indent=2))
    else:
        _tell(found, out)
    if found.verdict.fitness is Fitness.NOT_FIT:
        raise typer.Exit(1)


def _watched(table: Path, films: list[str], out: Path, *, quiet: bool, plain: bool) -> list[CommissionFilm]:
    from rich.console import Console

    from thirdcard.service.commission.commissioning import find_films, watch_films
    from thirdcard.service.watch.recording_run import table_facts
    from thirdcard.service.watch.terminal import choose_view

    console = Console(stderr=True)
    return watch_films(
        find_films(table, films),
        out,
        lambda recording: choose_view(console, table_facts(recording), is_quiet=quiet, is_plain=plain),
    )


def _stored(table: Path, home: Path) -> list[CommissionFilm]:
    from thirdcard.service.commission.commissioning import CommissionError, stored_hour
    from thirdcard.service.config.data_folder import Home
    from thirdcard.service.config.table_file import load_table
    from thirdcard.service.setup.table_check import find_table_file

    if not home.is_dir():
        raise CommissionError(f"--home = {home}; no such folder")
    config = load_table(find_table_file(table))
    database = Home(home).open_database(os.environ)
    try:
        with database.reading() as session:
            return [stored_hour(session, config)]
    finally:
        database.close()


def _tell(found: TableCommission, out: Path) -> None:
    from rich.table import Table

    from thirdcard.service.cli.terminal_figures import open_console
    from thirdcard.service.commission.report import PAGE, figures, verdict_words

    console = open_console()
    sheet = Table(box=None, pad_edge=False, show_header=False)
    for name, text in figures(found):
        sheet.add_row(name, text)
    console.print(sheet)
    typer.echo(verdict_words(found))
    for reason in found.verdict.reasons:
        typer.echo(f"  {reason}")
    if found.verdict.off:
        typer.echo(f"  Better switched off: {', '.join(found.verdict.off)}")
    typer.echo(f"Report: {out / PAGE}")
