"""`thirdcard serve`: the surveillance room's service, with every table of its folder watched live."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thirdcard.service.ports.errors import ServiceError

if TYPE_CHECKING:
    from thirdcard.service.config.data_folder import Home
    from thirdcard.service.config.house_yaml import HouseFile
    from thirdcard.service.config.settings import RoomSettings
    from thirdcard.service.live.supervisor import Begin
    from thirdcard.service.store.database import Database
    from thirdcard.service.tables.setups import KnownTable

TIME_ZONE_HELP = "The house's time zone, by its IANA name, as people see it.  [default: house.yaml's]"
HOME_HELP = "The service's folder: the tables, the database and the evidence; made where it is not there."


IN_THE_CLEAR = (
    "passwords and pictures would cross the network in plain HTTP; put a proxy with TLS before the service and name it "
    "with --trust-proxy, or allow it with --insecure"
)


class ServeError(ServiceError):
    """The service cannot be started."""


def serve(
    home: Annotated[Path, typer.Option(help=HOME_HELP)],
    host: Annotated[
        str | None, typer.Option(help="Where to listen; 0.0.0.0 for other machines too.  [default: house.yaml's]")
    ] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="The port.  [default: house.yaml's, 8333]")] = None,
    trust_proxy: Annotated[
        list[str] | None,
        typer.Option(help="A network, such as 10.0.0.0/8, whose proxies' X-Forwarded-* headers are believed."),
    ] = None,
    insecure: Annotated[
        bool,
        typer.Option("--insecure", help="Speak plain HTTP to other machines: passwords can be read on the way."),
    ] = False,
    demo: Annotated[
        bool, typer.Option("--demo", help="Furnish HOME first: four tables that play the shipped recording, an admin.")
    ] = False,
    engine: Annotated[
        str, typer.Option(help="Where tables are watched. local: this machine; ray: a Ray cluster.")
    ] = "local",
    address: Annotated[
        str | None, typer.Option(help="The Ray cluster's address; without it one is begun here.")
    ] = None,
    time_zone: Annotated[str | None, typer.Option(help=TIME_ZONE_HELP)] = None,
) -> None:
    """Watch every table in HOME/tables and serve the room's pages and API until stopped.

    Add a user first: `thirdcard user add NAME --role admin --home HOME`. The database is HOME/thirdcard.db unless
    THIRDCARD_DATABASE_URL names a PostgreSQL. What HOME/house.yaml sets holds where no option says otherwise.
    """
    from thirdcard.service.config.data_folder import Home
    from thirdcard.service.config.house_yaml import load_house
    from thirdcard.service.config.log_lines import begin_log
    from thirdcard.service.config.settings import is_this_machine
    from thirdcard.service.config.settings_record import note_settings
    from thirdcard.service.live.fork_server import start_fork_server
    from thirdcard.service.ports.clock import now_utc
    from thirdcard.service.rounds.search.index import enter_missing
    from thirdcard.service.store.people import has_users
    from thirdcard.service.tables.setups import Wanted
    from thirdcard.service.tables.table_acts import BY_FILE, TableActs
    from thirdcard.vision.inference.model_spec import check_house_models

    folder = Home(home)
    folder.make()
    folder.use_models(os.environ)
    check_house_models()
    house = load_house(home, os.environ)
    listening = (host or house.host, house.port if port is None else port)
    if not (insecure or trust_proxy or is_this_machine(listening[0])):
        raise ServeError(f"host = {listening[0]}; {IN_THE_CLEAR}")
    begin_log(house.log)
    if engine == "local":
        start_fork_server()
    settings = _read_settings(folder, house, time_zone or house.time_zone, trust_proxy or [])
    folder.load_tables()
    database = folder.open_database(os.environ)
    try:
        if demo:
            _furnish(folder, database)
        with database.reading() as session:
            if not has_users(session):
                hint = f"thirdcard user add NAME --role admin --home {home}"
                raise ServeError(f"{home}: nobody can sign in; add a user: {hint}")
        with database.writing(is_shown=False) as session:
            note_settings(session, home, now=now_utc())
        enter_missing(database)
        tables = TableActs(home=folder, database=database, now=now_utc, who=BY_FILE).begin()
        watched = sum(table.wanted is Wanted.WATCHED for table in tables)
        typer.echo(f"Thirdcard watches {watched} tables; the room is at http://{listening[0]}:{listening[1]}/")
        with _beginning(engine, address) as begin, _uncollected():
            _run(folder, database, settings, tables, address=listening, begin=begin)
    finally:
        database.close()


def _read_settings(folder: Home, house: HouseFile, time_zone: str, trusted_proxies: list[str]) -> RoomSettings:
    from thirdcard.service.analytics.house import open_house
    from thirdcard.service.config.settings import parse_settings
    from thirdcard.service.store.blob_store import EvidenceStore

    settings = parse_settings(
        evidence=folder.evidence,
        time_zone=time_zone,
        trusted_proxies=trusted_proxies,
        are_metrics_open=house.metrics == "open",
        is_api_document_open=house.api_document == "open",
    )
    evidence_url = EvidenceStore.of(folder.evidence, os.environ).url
    signer = None if house.signer is None else Path(house.signer)
    house_figures = open_house(folder.folder, time_zone)
    return replace(
        settings, house=house_figures, evidence_url=evidence_url, log=house.log, signer=signer, verify=house.verify
    )


@contextmanager
def _uncollected() -> Iterator[None]:
    """Collect no garbage until the service runs: all that is imported stays, and to look through it again and again
    takes a tenth of the start."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextmanager
def _beginning(engine: str, address: str | None) -> Iterator[Begin]:
    """The function that starts the watch of a table, for the chosen engine."""
    from thirdcard.service.live.fork_server import begin_process

    if engine == "local":
        yield begin_process
        return
    if engine != "ray":
        raise ServeError(f"--engine = {engine}; must be one of local, ray")
    from thirdcard.service.cluster.ray_cluster import joined
    from thirdcard.service.live.ray_tables import RayTable

    with joined(address):
        yield RayTable


def _run(
    home: Home,
    database: Database,
    settings: RoomSettings,
    known: list[KnownTable],
    *,
    address: tuple[str, int],
    begin: Begin,
) -> None:
    """Start all parts of the service, serve until a signal comes, and stop them in turn."""
    from thirdcard.service.config.table_file import TableConfig
    from thirdcard.service.live.live_tables import WatchedTables
    from thirdcard.service.live.unwatched import UnwatchedAlarm
    from thirdcard.service.ports.clock import now_utc
    from thirdcard.service.tables.following import FactsOfTables, Following
    from thirdcard.service.web.app import create_app
    from thirdcard.service.web.background import open_background
    from thirdcard.service.web.serving import run_app

    tables: dict[str, TableConfig] = {}
    alarm = UnwatchedAlarm(database, tables, now_utc)
    live = WatchedTables(home.folder, home.live, now_utc, begin, alarm.raise_alert)
    background = open_background(
        home.folder, os.environ, settings=settings, database=database, live=live, clock=now_utc
    )
    facts = FactsOfTables()
    following = Following(home, database, live, facts, tables)
    following.learn(known)
    settings = replace(settings, remind_after=background.notifications.overdue_after, tables=facts)
    app = create_app(settings=settings, database=database, live=live, clock=now_utc, background=background)
    try:
        live.start()
        following.start()
        background.start()
        run_app(app, host=address[0], port=address[1], are_logs_json=settings.log.format == "json")
    finally:
        background.stop()
        following.stop()
        live.stop()


def _furnish(home: Home, database: Database) -> None:
    from thirdcard.service.ports.clock import now_utc
    from thirdcard.service.web.demo_room import ADMIN, furnish

    password = furnish(home, database, now=now_utc())
    if password is not None:
        typer.echo(f"Sign in as {ADMIN} with the password {password} (it is not shown again).")
