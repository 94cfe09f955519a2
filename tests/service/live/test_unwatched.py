"""A table whose process ends again and again: `camera.lost` is raised by the service, now and then, and told."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from tests.repository import DEMO_TABLE
from tests.service.hand_clock import NOON, HandClock
from tests.service.stores import bare_database
from thirdcard.service.config.table_file import load_table
from thirdcard.service.live.live_tables import ALARM_EVERY, Alarm, WatchedTables
from thirdcard.service.live.unwatched import UnwatchedAlarm
from thirdcard.service.ports.messages import Unwatched
from thirdcard.service.store.database import Database
from thirdcard.service.store.schema import AlertRow, EvidenceRow, LogRow


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = bare_database(tmp_path / "room.db")
    yield opened
    opened.close()


def alarm_of(database: Database) -> tuple[UnwatchedAlarm, Unwatched]:
    table = load_table(DEMO_TABLE)
    told = Unwatched(table_id=table.id, reason="its process ended with status -9", times=3, within_s=120)
    return UnwatchedAlarm(database, {table.id: table}, HandClock(NOON)), told


def test_alert_is_raised_though_the_table_never_had_a_log(database: Database) -> None:
    alarm, told = alarm_of(database)
    number = alarm.raise_alert(told)
    with database.reading() as session:
        row = session.scalars(select(AlertRow)).one()
        assert (row.id, row.code, row.severity, row.table_id) == (number, "camera.lost", "high", told.table_id)
        assert "its process ended with status -9, 3 times within 2 min" in row.body
        piece = session.scalars(select(EvidenceRow)).one()
        assert (piece.state, piece.fault) == ("failed", "nobody watched the table")


def test_alert_stands_in_the_log_that_is_there(database: Database) -> None:
    alarm, told = alarm_of(database)
    alarm.raise_alert(told)
    alarm.raise_alert(told)
    with database.reading() as session:
        assert len(session.scalars(select(LogRow)).all()) == 1
        assert len(session.scalars(select(AlertRow)).all()) == 2


def heard(tmp_path: Path, clock: HandClock, alarm: Alarm, *, after: tuple[timedelta, ...]) -> None:
    """What becomes of a process that ends so long after its last end."""
    tables = WatchedTables(tmp_path, tmp_path, clock, alarm=alarm)
    for wait in after:
        clock.move(seconds=wait.total_seconds())
        tables._hear(Unwatched(table_id="B07", reason="it ended", times=3, within_s=9))


def test_alert_is_raised_now_and_then_and_not_at_each_end(tmp_path: Path) -> None:
    raised: list[Unwatched] = []

    def alarm(told: Unwatched) -> int:
        raised.append(told)
        return len(raised)

    heard(tmp_path, HandClock(NOON), alarm, after=(timedelta(), timedelta(minutes=1), ALARM_EVERY))
    assert len(raised) == 2


def test_alert_that_could_not_be_written_is_tried_again_at_the_next_end(tmp_path: Path) -> None:
    tries: list[Unwatched] = []

    def alarm(told: Unwatched) -> int:
        tries.append(told)
        raise OperationalError("INSERT", None, Exception("gone"))

    heard(tmp_path, HandClock(NOON), alarm, after=(timedelta(), timedelta(seconds=1)))
    assert len(tries) == 2
