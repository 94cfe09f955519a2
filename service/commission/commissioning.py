"""Commission a table: watch films of it, or take its last live hour from the store, measure it, and give a verdict."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.rules.log.events import Event, parse_event
from thirdcard.service.commission.measures import CommissionFilm, TableMeasures, measure
from thirdcard.service.commission.verdict import TableVerdict, judge_table
from thirdcard.service.config.output_files import refuse_folder
from thirdcard.service.config.table_file import TableConfig, load_table
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.review.judging import judge
from thirdcard.service.setup.table_check import TABLE, TableCheck, check_table, find_table_file
from thirdcard.service.store import chain
from thirdcard.service.store.log_chains import LIVE, chain_of_log
from thirdcard.service.store.schema import LogRow
from thirdcard.service.watch.factory import build_belief
from thirdcard.service.watch.recording_run import watch_recording
from thirdcard.service.watch.recordings import Recording, check_video, find_recording
from thirdcard.service.watch.result import Findings, WatchedAlert, WatchedTable
from thirdcard.service.watch.terminal import WatchView

HOUR = timedelta(hours=1)
"""The part of a live table's log that is used."""


class CommissionError(ServiceError):
    """There is no data to commission the table with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCommission:
    """The measurements and the verdict of a table."""

    table: TableConfig
    check: TableCheck
    seen: TableMeasures
    verdict: TableVerdict


def find_films(table: Path, films: Sequence[str]) -> list[Recording]:
    """Each film as a recording with the table's set-up.

    Args:
        table: The table's file, or the folder that holds it.
        films: Videos of the table, or folders of recordings, of which only the video and the devices' reports are used.

    Raises:
        ServiceError: A file is missing or unusable.
    """
    path = find_table_file(table)
    found = [find_recording(_video_of(film), table=path) for film in films]
    names = [recording.name for recording in found]
    if len(set(names)) < len(names):
        found = [replace(one, name=f"{number}-{one.name}") for number, one in enumerate(found, start=1)]
    for recording in found:
        check_video(recording.table)
    return found


def watch_films(
    recordings: Sequence[Recording], out: Path, choose_view: Callable[[Recording], WatchView]
) -> list[CommissionFilm]:
    """Watch each film to its end; each watch writes to a folder with the film's name.

    Raises:
        OutputPathError: An output folder is also an input.
    """
    read = [Path(one.source).parent for one in recordings if not one.table.cameras[0].is_live]
    for recording in recordings:
        refuse_folder(out / recording.name, option="--out", read=read)
    return [
        CommissionFilm(
            name=recording.name,
            findings=watch_recording(recording, out / recording.name, choose_view(recording)),
            recording=recording,
            folder=out / recording.name,
        )
        for recording in recordings
    ]


def stored_hour(session: Session, table: TableConfig) -> CommissionFilm:
    """The last hour of a live table's newest log, judged again.

    Raises:
        CommissionError: The store has nothing of the table.
    """
    wanted = select(LogRow).where(LogRow.table_id == table.id, LogRow.origin == LIVE).order_by(LogRow.id.desc())
    log = session.scalars(wanted.limit(1)).first()
    lines = [] if log is None else list(chain.read(session, chain_of_log(log), first=log.first_line))
    if not lines:
        raise CommissionError(
            f"table {table.id}: nothing that was watched live is in the store; watch it first, or give films"
        )
    first_at = lines[-1].at - HOUR
    kept = [parse_event(json.loads(line.body)) for line in lines if line.at >= first_at]
    return CommissionFilm(name=f"{lines[-1].at:%Y-%m-%d %H:%M} UTC", findings=judged_findings(kept, table))


def judged_findings(events: Sequence[Event], table: TableConfig, *, video: str = "") -> Findings:
    """The findings of a log, without pictures."""
    said = judge(events, build_belief(table), table.layout)
    begun_s, end_s = (events[0].t, events[-1].t) if events else (0.0, 0.0)
    return Findings(
        table=WatchedTable(id=table.id, rulebook=table.rulebook, options=table.options, video=video),
        duration_s=end_s - begun_s,
        frames=0,
        wall_s=0.0,
        events=tuple(events),
        alerts=tuple(WatchedAlert(alert=one, noticed_at=one.noticed_at or one.t) for one in said.alerts),
        rounds=tuple(one.record for one in said.rounds),
        doubtful=said.doubtful,
        setup_hint=said.setup_hint,
    )


def commission_table(table: Path, films: Sequence[CommissionFilm]) -> TableCommission:
    """Measure and judge a table by the findings of its films."""
    check = check_table(find_table_file(table))
    config = load_table(find_table_file(table))
    seen = measure(config, films, check.camera)
    return TableCommission(table=config, check=check, seen=seen, verdict=judge_table(seen, check.problems))


def _video_of(film: str) -> str:
    path = Path(film)
    return load_table(path / TABLE).cameras[0].source if (path / TABLE).is_file() else film
