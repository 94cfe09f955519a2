"""`thirdcard review`: recorded shifts, many at once, faster than they were filmed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import typer

from thirdcard.service.ports.errors import ServiceError

if TYPE_CHECKING:
    from thirdcard.service.review.engine import Engine
    from thirdcard.service.review.mirror import Fetched
    from thirdcard.service.review.progress import ReviewProgress
    from thirdcard.service.review.shift import Shift
    from thirdcard.service.store.database import Database

TIME_ZONE_HELP = "The recorders' time zone, by its IANA name, for times in the names of files.  [default: house.yaml's]"


class ReviewError(ServiceError):
    """The review cannot be started."""


def review(
    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="SHIFT…",
            help="Folders with a table.yaml and recordings of that table (or of many, each in a folder), or videos; "
            "also by URL, such as s3://bucket/shift.",
        ),
    ],
    home: Annotated[Path, typer.Option(help="The service's folder: what is found stands there beside live tables.")],
    table: Annotated[
        Path | None, typer.Option(help="The table.yaml of videos that have none beside or above them.")
    ] = None,
    time_zone: Annotated[str | None, typer.Option(help=TIME_ZONE_HELP)] = None,
    processes: Annotated[int | None, typer.Option(min=1, help="Processes that watch.  [default: one a core]")] = None,
    engine: Annotated[str, typer.Option(help="local: this machine; ray: a Ray cluster.")] = "local",
    address: Annotated[
        str | None, typer.Option(help="The Ray cluster's address; without it one is begun here.")
    ] = None,
) -> None:
    """Review recorded shifts: rounds, alerts and their evidence go into HOME's store, and the pages show them.

    Stretches in which nothing moves cost next to nothing. A review that was stopped goes on where it was; a shift that
    is in the store already is not entered again. What could not be watched is tried again when the shift is reviewed
    again, as when a damaged file was replaced.

    Exit status 0: all film was watched. 1: some is damaged; the rest is entered, and what is missing is noted.
    2: nothing could be watched.
    """
    from rich.console import Console

    from thirdcard.service.config.data_folder import Home
    from thirdcard.service.config.house_yaml import load_house
    from thirdcard.service.config.log_lines import begin_log
    from thirdcard.service.ports.clock import now_utc
    from thirdcard.service.review.mirror import Cache, fetched
    from thirdcard.service.review.progress import ReviewProgress
    from thirdcard.service.review.reviewing import Reviewer
    from thirdcard.service.store.blob_store import EvidenceStore
    from thirdcard.vision.inference.model_spec import check_house_models

    house = load_house(home, os.environ)
    begin_log(house.log)
    zone = _zone(time_zone or house.time_zone)
    folder = Home(home)
    folder.make()
    folder.use_models(os.environ)
    check_house_models()
    count = processes or os.cpu_count() or 1
    database = folder.open_database(os.environ)
    try:
        with fetched(targets, Cache.of(os.environ)) as (paths, urls), ReviewProgress(Console()) as progress:
            shifts, is_broken = _open_shifts(paths, table, zone, database, progress)
            reviewer = Reviewer(
                home=folder,
                database=database,
                engine=_engine(engine, address, count, urls),
                now=now_utc,
                processes=count,
                evidence_url=EvidenceStore.of(folder.evidence, os.environ).url,
            )
            reviewer.review(shifts, progress)
    finally:
        database.close()
    if is_broken or progress.is_damaged:
        raise typer.Exit(1)


def _open_shifts(
    targets: list[Path], table: Path | None, zone: ZoneInfo, database: Database, progress: ReviewProgress
) -> tuple[list[Shift], bool]:
    """The shifts to watch, and whether any table or file is broken; those are named and left out."""
    from thirdcard.service.config.table_file import load_table
    from thirdcard.service.review.entering import seen_film
    from thirdcard.service.review.opening import open_table
    from thirdcard.service.review.shift import find_wanted

    shifts: list[Shift] = []
    is_broken, refused = False, []
    for wanted in progress.opening(find_wanted(targets, table)):
        try:
            names = {video.name for video in wanted.videos}
            opened = open_table(wanted, zone, seen_film(database, load_table(wanted.table).id, names))
        except (ServiceError, OSError) as error:
            refused.append(error)
            progress.say(f"left out: {error}")
            continue
        shifts += opened.shifts
        is_broken = is_broken or bool(opened.faults)
        if not opened.shifts:
            progress.say(f"{wanted.table}: all of it was reviewed before")
            for fault in opened.faults:
                progress.say(f"{wanted.table}: {fault}")
    if refused and not shifts and not is_broken:
        raise refused[0]
    return shifts, is_broken or bool(refused)


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ReviewError(f"--time-zone = {name}; must be an IANA name such as Pacific/Auckland") from error


def _engine(name: str, address: str | None, processes: int, urls: Fetched) -> Engine:
    if name == "local":
        from thirdcard.service.review.local_engine import LocalEngine

        return LocalEngine(processes)
    if name == "ray":
        from thirdcard.service.cluster.ray_inference import wanted_provider
        from thirdcard.service.review.ray_engine import RayEngine

        return RayEngine(address, processes, urls, wanted_provider(os.environ))
    raise ReviewError(f"--engine = {name}; must be one of local, ray")
