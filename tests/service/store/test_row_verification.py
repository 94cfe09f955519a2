"""Rows are views of their record: what agrees is in order, and each edit, deletion and addition is named."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, delete, insert, select, text, update

from tests.repository import ROOT
from tests.service.databases import copied_url, url_of
from tests.service.store.conftest import NOW
from tests.service.store.every_row import ORDER, changeable_columns, furnish, only_row, value_of
from thirdcard.service.store import audit, chain
from thirdcard.service.store.database import Database, open_database, sqlite_url
from thirdcard.service.store.recorded_rows import RECORDED, UNRECORDED, table_of
from thirdcard.service.store.row_record import insert_rows
from thirdcard.service.store.row_verification import AT_ONCE, MOST, taken_over_at, verify_rows
from thirdcard.service.store.schema import (
    AlertRow,
    Base,
    CaseNote,
    ChainLine,
    EvidenceRow,
    HoldRow,
    LogRow,
    RoundRow,
    TokenRow,
    UserRow,
)
from thirdcard.service.store.setup_schema import WatchedTableRow
from thirdcard.service.store.shift_schema import FootageRow
from thirdcard.service.store.verification import verify_chains

OLD = ROOT / "tests" / "data" / "before_the_rebuild" / "room" / "thirdcard.db"
KINDS = [pytest.param(kind, id=kind.__tablename__) for kind in RECORDED]


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a database with one row of every kind."""
    path = tmp_path_factory.mktemp("furnished") / "room.db"
    database = open_database(url_of(path))
    with database.writing() as session:
        furnish(session)
    database.close()
    return path


@pytest.fixture
def full(furnished: Path, tmp_path: Path) -> Any:
    database = open_database(copied_url(furnished, tmp_path / "full.db"))
    yield database
    database.close()


def faults_of(database: Database) -> list[str]:
    with database.reading() as session:
        assert verify_chains(session) is None
        return verify_rows(session)


def look_at_no_keys(connection: Connection) -> None:
    """Let rows point to what is not there."""
    is_sqlite = connection.dialect.name == "sqlite"
    if is_sqlite:
        connection.exec_driver_sql("COMMIT")
    connection.exec_driver_sql("PRAGMA foreign_keys = OFF" if is_sqlite else "SET session_replication_role = replica")
    if is_sqlite:
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def behind_its_back(database: Database, *statements: Any) -> None:
    """What somebody does with the database and without the service."""
    with database.engine.connect().execution_options(is_writing=True) as connection, connection.begin():
        look_at_no_keys(connection)
        for statement in statements:
            connection.execute(statement)


def test_every_kind_of_row_is_recorded_or_says_why_not() -> None:
    assert {mapper.class_ for mapper in Base.registry.mappers} == set(RECORDED) | set(UNRECORDED)
    assert not set(RECORDED) & set(UNRECORDED)


def test_untouched_rows_agree(full: Database) -> None:
    assert faults_of(full) == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_column_that_was_edited_is_named(full: Database, kind: type[Base]) -> None:
    for column in changeable_columns(kind):
        before, other = value_of(column), value_of(column, other=True)
        behind_its_back(full, update(table_of(kind)).values({column.name: other}))
        (fault,) = faults_of(full)
        assert fault.startswith(f"{RECORDED[kind].word} ")
        assert f": was changed: {column.name} " in fault
        behind_its_back(full, update(table_of(kind)).values({column.name: before}))
    assert faults_of(full) == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_column_that_the_service_changed_agrees(full: Database, kind: type[Base]) -> None:
    for column in changeable_columns(kind):
        if column.name != "table_id":  # nothing ever moves to another gaming table
            with full.writing() as session:
                setattr(only_row(session, kind), column.name, value_of(column, other=True))
    assert faults_of(full) == []


@pytest.mark.parametrize("kind", KINDS)
def test_row_that_was_deleted_is_named(furnished: Path, tmp_path: Path, kind: type[Base]) -> None:
    database = open_database(copied_url(furnished, tmp_path / "cut.db"))
    with database.engine.connect().execution_options(is_writing=True) as connection:
        look_at_no_keys(connection)
        connection.exec_driver_sql(f"DELETE FROM {kind.__tablename__}")
        connection.commit()
    (fault,) = faults_of(database)
    database.close()
    assert fault.startswith(f"{RECORDED[kind].word} ")
    assert "is gone, and no line says so; line 1 of rows/" in fault


def test_row_that_was_added_is_named(full: Database) -> None:
    values = {"id": 2, "case_id": 1, "at": NOW, "who": "ada", "text": "He confessed."}
    behind_its_back(full, insert(table_of(CaseNote)).values(values))
    assert faults_of(full) == ["note on a case 2: was added, and no line says so"]


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        pytest.param(CaseNote, "text", b"x" * 300, id="text"),
        pytest.param(UserRow, "password_hash", b"x" * 300, id="secret"),
        pytest.param(FootageRow, "begins_s", "half", id="float"),
        pytest.param(RoundRow, "number", "half", id="integer"),
    ],
)
def test_value_of_another_type_is_named(full: Database, kind: type[Base], name: str, value: object) -> None:
    if full.engine.dialect.name != "sqlite":
        pytest.skip("other databases refuse it")
    with full.engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE {table_of(kind).name} SET {name} = ?", (value,))
    (fault,) = faults_of(full)
    assert "was changed" in fault


def test_exchanged_rows_are_both_named(full: Database) -> None:
    values = {"id": 9, "case_id": 1, "at": NOW, "who": "ada", "text": "He confessed."}
    note = table_of(CaseNote)
    behind_its_back(full, delete(note), insert(note).values(values))
    assert faults_of(full) == [
        "note on a case 1: is gone, and no line says so; line 1 of rows/cases recorded it last",
        "note on a case 9: was added, and no line says so",
    ]


def test_deleted_row_that_is_brought_back_is_named(full: Database) -> None:
    with full.writing() as session:
        values = dict(session.execute(select(table_of(HoldRow))).mappings().one())
        session.delete(only_row(session, HoldRow))
    assert faults_of(full) == []
    behind_its_back(full, insert(table_of(HoldRow)).values(values))
    assert faults_of(full) == ["hold 1: is there again; line 2 of rows/cases says that it went"]


def test_entry_names_the_act_and_what_was_before(full: Database) -> None:
    with full.writing() as session:
        session.query(AlertRow).one().state = "confirmed"
        audit.note(session, "ada", "alert.confirmed", "alert:1", at=NOW)
    with full.reading() as session:
        line = session.scalars(
            select(ChainLine).where(ChainLine.chain == "rows/alerts/x").order_by(ChainLine.seq.desc())
        ).first()
        assert line is not None
        (row,) = chain.parsed(line)["rows"]
        assert chain.parsed(line)["acts"] == [1]
        assert (row["table"], row["key"], row["was"], row["is"]["state"]) == (
            "alerts",
            [1],
            {"state": "x"},
            "confirmed",
        )


def pieces_of(database: Database, *kinds: str) -> list[dict[str, Any]]:
    """The evidence of a new alert, as it is inserted."""
    with database.writing() as session:
        log = LogRow(table_id="B07", began_at=NOW, rules="{}", first_line=1)
        session.add(log)
        session.flush()
        facts = {"table_id": "B07", "log_id": log.id, "round": 1, "code": "x", "severity": "low", "state": "open"}
        alert = AlertRow(**facts, at=NOW, noticed_at=NOW, body="{}")
        session.add(alert)
        session.flush()
        row = {"alert_id": alert.id, "state": "promised", "from_at": NOW, "to_at": NOW, "path": None}
        return [{**row, "kind": kind} for kind in kinds]


def test_rows_of_one_statement_are_recorded_together(database: Database) -> None:
    pieces = pieces_of(database, "clip", "still")
    with database.writing() as session:
        insert_rows(session, EvidenceRow, pieces)
        insert_rows(session, EvidenceRow, [])
    assert faults_of(database) == []
    with database.reading() as session:
        *_, (_, content) = chain.contents(session, "rows/alerts/B07")
    (told,) = content["rows"]
    columns, moment = table_of(EvidenceRow).columns.keys(), NOW.isoformat()
    rest = ["promised", moment, moment, None, None, None, None]
    assert told == {"table": "evidence", "columns": columns, "added": [[1, 1, "clip", *rest], [2, 1, "still", *rest]]}
    behind_its_back(database, update(table_of(EvidenceRow)).where(EvidenceRow.id == 2).values(kind="clip"))
    assert faults_of(database) == [
        "piece of evidence 2: was changed: kind = clip, recorded as still; see line 2 of rows/alerts/B07"
    ]


def test_inserted_rows_that_are_changed_or_deleted_at_once_agree(database: Database) -> None:
    pieces = pieces_of(database, "clip", "still", "overlay")
    with database.writing() as session:
        insert_rows(session, EvidenceRow, pieces)
        clip, still, _ = session.query(EvidenceRow).order_by(EvidenceRow.id)
        clip.state = "kept"
        session.delete(still)
    assert faults_of(database) == []
    behind_its_back(database, update(table_of(EvidenceRow)).values(state="promised"))
    assert ["evidence 1: was changed: state" in fault for fault in faults_of(database)] == [True]


def test_added_row_as_older_versions_recorded_it_agrees(full: Database) -> None:
    values = {"id": 2, "case_id": 1, "at": NOW, "who": "ada", "text": "He confessed."}
    behind_its_back(full, insert(table_of(CaseNote)).values(values))
    entry = {"table": "case_notes", "key": [2], "is": {**values, "at": NOW.isoformat()}}
    with full.writing() as session:
        chain.append(session, "rows/cases", [{"rows": [entry]}], at=NOW)
    assert faults_of(full) == []
    behind_its_back(full, update(table_of(CaseNote)).where(CaseNote.id == 2).values(who="ben"))
    assert faults_of(full) == ["note on a case 2: was changed: who = ben, recorded as ada; see line 2 of rows/cases"]


def test_time_zone_of_the_server_changes_no_seal(database: Database) -> None:
    with database.writing() as session:
        if database.engine.dialect.name == "postgresql":
            session.execute(text("SET TIME ZONE 'Asia/Macau'"))
        session.add(UserRow(name="ada", role="viewer", password_hash="x", added_at=NOW))
    assert faults_of(database) == []


def test_secrets_stand_in_no_chain(database: Database) -> None:
    with database.writing() as session:
        session.add(UserRow(name="ada", role="admin", password_hash="hash-of-ada", added_at=NOW))
        session.add(TokenRow(name="t", role="admin", token_hash="hash-of-t", added_at=NOW))
    with database.reading() as session:
        bodies = "".join(session.scalars(select(ChainLine.body)))
    assert "ada" in bodies
    assert "hash-of" not in bodies


def test_what_says_nothing_is_not_recorded(full: Database) -> None:
    with full.reading() as session:
        before = session.query(ChainLine).count()
    with full.writing() as session:
        session.query(RoundRow).one().terms = "card:7h"
        session.query(TokenRow).one().used_at = NOW
        session.query(WatchedTableRow).one().is_placed = False
    with full.reading() as session:
        lines = session.query(ChainLine).count()
    assert faults_of(full) == []
    assert lines - before <= 3


def test_row_that_came_and_went_in_one_transaction_leaves_nothing(database: Database) -> None:
    with database.writing() as session:
        row = UserRow(name="ada", role="admin", password_hash="x", added_at=NOW)
        session.add(row)
        session.flush()
        session.delete(row)
    with database.reading() as session:
        assert chain.chains(session) == []


def test_refused_transaction_records_nothing(full: Database) -> None:
    with pytest.raises(RuntimeError), full.writing() as session:
        session.query(AlertRow).one().state = "confirmed"
        session.flush()
        raise RuntimeError
    assert faults_of(full) == []


def test_of_many_faults_some_are_named_and_the_rest_is_counted(database: Database) -> None:
    count = AT_ONCE + MOST + 3
    with database.writing() as session:
        session.add_all(UserRow(name=f"u{n}", role="viewer", password_hash="x", added_at=NOW) for n in range(count))
    behind_its_back(database, update(table_of(UserRow)).values(role="admin"))
    faults = faults_of(database)
    assert len(faults) == MOST + 1
    assert "role = admin, recorded as viewer" in faults[0]
    assert faults[-1] == f"and {count - MOST} more rows that do not agree with their record"


def test_older_store_is_taken_over_as_it_stands(tmp_path: Path) -> None:
    shutil.copy(OLD, tmp_path / "thirdcard.db")
    database = open_database(sqlite_url(tmp_path / "thirdcard.db"))
    assert faults_of(database) == []
    with database.reading() as session:
        assert taken_over_at(session) is not None
        lines = {name: session.query(ChainLine).filter_by(chain=name).count() for name in chain.chains(session)}
    assert {name.split("/")[1] for name in lines if name.startswith("rows/")} == {"alerts", "rounds", "cases", "people"}
    behind_its_back(database, update(table_of(AlertRow)).where(AlertRow.id == 1).values(state="dismissed"))
    assert faults_of(database) == [
        "alert 1: was changed: state = dismissed, recorded as confirmed; see line 1 of rows/alerts/DEMO"
    ]
    database.close()
    again = open_database(sqlite_url(tmp_path / "thirdcard.db"))
    with again.reading() as session:
        assert {name: session.query(ChainLine).filter_by(chain=name).count() for name in chain.chains(session)} == lines
    again.close()


def test_new_store_was_not_taken_over(full: Database) -> None:
    with full.reading() as session:
        assert taken_over_at(session) is None


def test_kinds_are_all_furnished() -> None:
    assert set(ORDER) == set(RECORDED)


@pytest.mark.parametrize(
    "entries",
    [
        "nothing",
        [1],
        [{"table": "users"}],
        [{"table": ["users"], "key": ["x"], "is": {}}],
        [{"table": "users", "key": "x", "is": 1}],
        [{"table": "users", "key": [["x"]], "is": {}}],
        [{"table": "users", "key": [1], "is": {}}],
        [{"table": "users", "key": [], "gone": True}],
        [{"table": "alerts", "key": [2**63], "is": {}}],
        [{"table": "users", "columns": ["name"], "added": "x"}],
        [{"table": "users", "columns": ["role"], "added": [["x"]]}],
        [{"table": "users", "columns": ["name", ["role"]], "added": [1, [], [["x"]]]}],
    ],
)
def test_line_whose_entries_are_none_is_named_by_its_seal_alone(full: Database, entries: object) -> None:
    with full.writing() as session:
        line = session.query(ChainLine).filter_by(chain="rows/people").first()
        assert line is not None
        line.body = chain.canonical({"rows": entries})
    with full.reading() as session:
        assert str(verify_chains(session)).startswith("rows/people: line 1 was changed")
        assert any(fault.endswith("was added, and no line says so") for fault in verify_rows(session))
