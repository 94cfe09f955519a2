"""`thirdcard setup`: the guided page for a new table, served to the one person at this machine."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

PORT = 8334
"""Next to the room's port, 8333."""


def setup(
    home: Annotated[
        Path, typer.Option(help="The service's folder, which gets tables/ID; made where it is not there.")
    ] = Path("thirdcard-home"),
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port on this machine.")] = PORT,
) -> None:
    """Set up a new table on a guided page: camera, cloth, calibration, chips, house, dry run.

    For a laptop at the table. Open the link that is shown: it signs in once, and other machines cannot reach it. A
    finished table lies in HOME/tables/ID; a service that runs on the same HOME watches it within two seconds. Nothing
    is watched here.
    """
    from thirdcard.service.config.data_folder import Home
    from thirdcard.service.config.house_yaml import load_house
    from thirdcard.service.config.settings import parse_settings
    from thirdcard.service.live.fork_server import begin_process
    from thirdcard.service.live.live_tables import WatchedTables
    from thirdcard.service.live.unwatched import UnwatchedAlarm
    from thirdcard.service.ports.clock import now_utc
    from thirdcard.service.web.app import create_app
    from thirdcard.service.web.one_time_link import OneTimeLink
    from thirdcard.service.web.serving import run_app

    folder = Home(home)
    folder.make()
    folder.use_models(os.environ)
    with closing(folder.open_database(os.environ)) as database:
        zone = load_house(home, os.environ).time_zone
        settings = replace(
            parse_settings(evidence=folder.evidence, time_zone=zone, trusted_proxies=()), are_films_anywhere=True
        )
        alarm = UnwatchedAlarm(database, {}, now_utc)
        live = WatchedTables(folder.folder, folder.live, now_utc, begin_process, alarm.raise_alert)
        app = create_app(settings=settings, database=database, live=live, clock=now_utc)
        link = OneTimeLink(database, now_utc)
        path = link.install(app, "/settings/tables")
        try:
            typer.echo(f"Open http://127.0.0.1:{port}{path}")
            run_app(app, host="127.0.0.1", port=port)
        finally:
            link.close()
