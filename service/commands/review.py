"""`thirdcard review`: recorded shifts, many at once, faster than they were filmed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import typer

from service.errors import ServiceError

if TYPE_CHECKING:
    from service.review.engine import Engine
    from service.review.mirror import Fetched
    from service.review.progress import ReviewProgress
    from service.review.shift import Shift
    from service.store.database import Database


class ReviewError(ServiceError):
    """The review cannot be begun."""


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
    time_zone: Annotated[
        str, typer.Option(help="The recorders' time zone, by its IANA name, for times in the names of files.")
    ] = "UTC",
    processes: Annotated[int | None, typer.Option(min=1, help="Processes that watch.  [default: one a core]")] = None,
    engine: Annotated[str, typer.Option(help="local: this machine; ray: a Ray cluster.")] = "local",
    address: Annotated[
        str | None, typer.Option(help="The Ray cluster's address; without it one is begun here.")
    ] = None,
) -> None:
    """Review recorded shifts: rounds, alerts and their evidence go into HOME's store, and the pages show them.

    Stretches in which nothing moves cost next to nothing. A review that was stopped goes on where it was; a shift that
    is in the store already is not entered again.
    """
    from rich.console import Console

    from service.evidence_store import EvidenceStore
    from service.home import Home
    from service.review.mirror import Cache, fetched
    from service.review.progress import ReviewProgress
    from service.review.reviewing import Reviewer
    from service.wiring import now_utc

    zone = _zone(time_zone)
    folder = Home(home)
    folder.make()
    count = processes or os.cpu_count() or 1
    database = folder.open_database(os.environ)
    try:
        with fetched(targets, Cache.of(os.environ)) as (paths, urls), ReviewProgress(Console()) as progress:
            shifts = _open_shifts(paths, table, zone, database, progress)
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


def _open_shifts(
    targets: list[Path], table: Path | None, zone: ZoneInfo, database: Database, progress: ReviewProgress
) -> list[Shift]:
    """All shifts that can be watched and were not reviewed before; the others are named."""
    from service.config import load_table
    from service.review.entering import entered_fingerprints
    from service.review.shift import find_wanted, open_shift

    shifts, faults = [], []
    for wanted in progress.opening(find_wanted(targets, table)):
        try:
            known = entered_fingerprints(database, load_table(wanted.table).id)
            shift = open_shift(wanted, zone, known)
        except ServiceError as error:
            faults.append(error)
            progress.say(f"left out: {error}")
            continue
        if shift is None:
            progress.say(f"{wanted.table}: all of it was reviewed before")
        else:
            shifts.append(shift)
    if faults and not shifts:
        raise faults[0]
    return shifts


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ReviewError(f"--time-zone = {name}; must be an IANA name such as Pacific/Auckland") from error


def _engine(name: str, address: str | None, processes: int, urls: Fetched) -> Engine:
    if name == "local":
        from service.review.local_engine import LocalEngine

        return LocalEngine(processes)
    if name == "ray":
        from service.ray_inference import wanted_provider
        from service.review.ray_engine import RayEngine

        return RayEngine(address, processes, urls, wanted_provider(os.environ))
    raise ReviewError(f"--engine = {name}; must be one of local, ray")
