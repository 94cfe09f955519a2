"""`thirdcard analytics`: error figures with intervals, out of a service's folder."""

from __future__ import annotations

import os
from contextlib import closing
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thirdcard.service.ports.errors import ServiceError

if TYPE_CHECKING:
    from thirdcard.service.analytics.asking import FigureWish
    from thirdcard.service.analytics.figures import Figures
    from thirdcard.service.store.database import Database

HOME_HELP = "The service's folder, with its database."
TIME_ZONE_HELP = "The house's time zone, by its IANA name.  [default: house.yaml's]"
FROM_HELP = "From this moment on, RFC 3339: 2026-05-04T06:00:00Z, or a day of the house's clock."


class Axis(StrEnum):
    """How figures are grouped."""

    DEALER = "dealer"
    TABLE = "table"
    RULEBOOK = "rulebook"
    CODE = "code"
    SHIFT = "shift"
    HOUR = "hour"
    DAY = "day"


class Form(StrEnum):
    """The output formats."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


class MomentError(ServiceError):
    """The text is no time."""


class OutError(ServiceError):
    """The figures cannot be written there."""


def analytics(
    home: Annotated[Path, typer.Option(help=HOME_HELP, exists=True, file_okay=False)],
    by: Annotated[Axis, typer.Option(help="What to gather by.")] = Axis.DEALER,
    from_: Annotated[str | None, typer.Option("--from", help=FROM_HELP)] = None,
    to: Annotated[str | None, typer.Option("--to", help="Before this moment, likewise.")] = None,
    table: Annotated[str | None, typer.Option(help="One table alone.")] = None,
    dealer: Annotated[str | None, typer.Option(help="One dealer alone, by pseudonym; by name with --names.")] = None,
    rulebook: Annotated[str | None, typer.Option(help="One rulebook alone.")] = None,
    code: Annotated[str | None, typer.Option(help="Count this code, or family of codes, alone.")] = None,
    shift: Annotated[str | None, typer.Option(help="One shift alone, by its name in notifications.yaml.")] = None,
    confirmed: Annotated[bool, typer.Option("--confirmed", help="Count only alerts that somebody confirmed.")] = False,
    names: Annotated[bool, typer.Option("--names", help="Show dealers' names; it is noted in the audit.")] = False,
    form: Annotated[Form, typer.Option("--format", help="How to write.")] = Form.TABLE,
    out: Annotated[Path | None, typer.Option(help="The file to write; parquet needs one.")] = None,
    time_zone: Annotated[str | None, typer.Option(help=TIME_ZONE_HELP)] = None,
) -> None:
    """Show how often what went wrong: per 1000 rounds, with 95 % intervals and the rounds they stand on."""
    from thirdcard.service.analytics.asking import FigureWish
    from thirdcard.service.config.data_folder import Home
    from thirdcard.service.config.house_yaml import load_house

    if form is Form.PARQUET and out is None:
        raise OutError("--format = parquet; needs --out FILE")
    zone = time_zone or load_house(home, os.environ).time_zone
    wish = FigureWish(
        from_at=parse_moment("--from", from_, zone),
        to_at=parse_moment("--to", to, zone),
        table=table,
        dealer=dealer,
        rulebook=rulebook,
        code=code,
        shift=shift,
        is_confirmed_only=confirmed,
    )
    folder = Home(home)
    if out is not None:
        folder.refuse_output(out, option="--out")
    with closing(folder.open_database(os.environ)) as database:
        found = _find(database, home, zone, (by, wish, names))
    _write(found, by, form, out)


def parse_moment(option: str, text: str | None, time_zone: str) -> datetime | None:
    """A time, or the beginning of a day by the house's clock.

    Raises:
        MomentError: The text is neither.
        SettingsError: There is no such time zone.
    """
    from zoneinfo import ZoneInfo

    from thirdcard.service.config.settings import parse_settings

    parse_settings(evidence=Path(), time_zone=time_zone, trusted_proxies=())
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError as error:
        raise MomentError(f"{option} = {text}; must be like 2026-05-04 or 2026-05-04T06:00:00Z") from error
    return at if at.tzinfo is not None else at.replace(tzinfo=ZoneInfo(time_zone))


def _find(database: Database, home: Path, time_zone: str, asked: tuple[Axis, FigureWish, bool]) -> Figures:
    from thirdcard.service.analytics.asking import Asker, By, tell_figures
    from thirdcard.service.analytics.house import open_house
    from thirdcard.service.analytics.looks import note_look
    from thirdcard.service.analytics.refreshing import refresh_all
    from thirdcard.service.ports.clock import now_utc
    from thirdcard.service.store.people import Person, Role

    axis, wish, are_names_shown = asked
    house = open_house(home, time_zone)
    refresh_all(database, names_from=house.names_from(now_utc()))
    if are_names_shown:
        note_look(database, "command line", "analytics", now=now_utc())
    asker = Asker(person=Person(name="command line", role=Role.ADMIN), are_names_shown=are_names_shown)
    with database.reading() as session:
        return tell_figures(session, house, asker, By(axis), wish)


def _write(found: Figures, axis: Axis, form: Form, out: Path | None) -> None:
    import json

    from thirdcard.service.analytics.figure_rows import figure_row, figures_csv, figures_parquet
    from thirdcard.service.cli.terminal_figures import show_figures
    from thirdcard.service.config.output_files import written

    if form is Form.TABLE and out is None:
        show_figures(found, axis)
    elif form is Form.PARQUET and out is not None:
        with written(out, option="--out") as draft:
            draft.write_bytes(figures_parquet(found.items))
    else:
        rows = "".join(json.dumps(figure_row(figure)) + "\n" for figure in found.items)
        text = rows if form is Form.JSON else figures_csv(found.items)
        if out is None:
            typer.echo(text, nl=False)
        else:
            with written(out, option="--out") as draft:
                draft.write_text(text, encoding="utf-8", newline="")
