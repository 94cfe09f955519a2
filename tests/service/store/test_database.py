"""The database: opened, brought up to date, refused in one line."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy.orm import Session

from tests.service.databases import url_of
from tests.service.store.conftest import NOW
from thirdcard.service.store.database import Database, DatabaseError, open_database
from thirdcard.service.store.schema import Base, SignalRow


def test_migrations_make_just_the_schema(database: Database) -> None:
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_database_is_opened_again_as_it_was(tmp_path: Path) -> None:
    url = url_of(tmp_path / "room.db")
    for n in range(2):
        database = open_database(url)
        with database.writing() as session:
            session.add(SignalRow(table_id="B07", at=NOW, body="{}"))
        with database.reading() as session:
            assert session.query(SignalRow).count() == n + 1
        database.close()


@pytest.mark.parametrize(
    ("url", "message"),
    [
        pytest.param("nonsense", "database = nonsense; cannot be opened", id="no-address"),
        pytest.param("sqlite:////no/such/folder/room.db", "unable to open database file", id="no-folder"),
        pytest.param("postgresql://u:secret@127.0.0.1:1/x", r"//u:\*\*\*@127.0.0.1:1/x; cannot", id="nobody"),
    ],
)
def test_database_that_cannot_be_opened_is_named_without_its_password(url: str, message: str) -> None:
    with pytest.raises(DatabaseError, match=message):
        open_database(url)


def test_moments_come_back_in_utc(database: Database) -> None:
    abroad = datetime(2026, 11, 22, 9, 30, 0, 123456, tzinfo=timezone(timedelta(hours=11)))
    with database.writing() as session:
        session.add(SignalRow(table_id="B07", at=abroad, body="{}"))
    with database.reading() as session:
        at = session.query(SignalRow).one().at
    assert at == abroad
    assert at.tzinfo is UTC


def test_commit_is_told_where_somebody_may_be_shown_it(database: Database) -> None:
    told: list[str] = []
    database.after_writing.append(lambda: told.append("written"))
    with database.writing(is_shown=False) as session:
        session.add(SignalRow(table_id="B07", at=NOW, body="{}"))
    quietly = list(told)
    with database.writing():
        pass
    assert (quietly, told) == ([], ["written"])


def test_work_runs_in_the_writers_thread_and_its_result_comes_back(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1, thread_name_prefix="writer") as writer:
        database = open_database(url_of(tmp_path / "room.db"), writer)

        def enter(session: Session) -> str:
            session.add(SignalRow(table_id="B07", at=NOW, body="{}"))
            return threading.current_thread().name

        assert database.write(enter).startswith("writer")
        with database.reading() as session:
            assert session.query(SignalRow).count() == 1
        database.close()


@pytest.mark.parametrize("has_writer", [False, True])
def test_work_that_fails_leaves_nothing_and_its_error_comes_back(tmp_path: Path, *, has_writer: bool) -> None:
    writer = ThreadPoolExecutor(1) if has_writer else None
    database = open_database(url_of(tmp_path / "room.db"), writer)

    def enter(session: Session) -> None:
        session.add(SignalRow(table_id="B07", at=NOW, body="{}"))
        session.flush()
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        database.write(enter)
    with database.reading() as session:
        assert session.query(SignalRow).count() == 0
    database.close()
    if writer is not None:
        writer.shutdown()


def test_database_that_is_up_to_date_is_opened_while_another_writes(tmp_path: Path) -> None:
    url = url_of(tmp_path / "room.db")
    first = open_database(url)
    with first.writing():
        open_database(url).close()
    first.close()
