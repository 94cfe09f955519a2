"""Values that no version of the service writes are named, and no comparison of the database ends because of one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, String, Table

from tests.service.store.conftest import NOW
from tests.service.store.every_row import changeable_columns, furnish
from tests.service.store.test_row_verification import KINDS
from thirdcard.service.store import chain
from thirdcard.service.store.columns import UtcTime
from thirdcard.service.store.database import Database, open_database, sqlite_url
from thirdcard.service.store.foreign_values import LONGEST, MOST, foreign_values, read_any_text
from thirdcard.service.store.recorded_rows import RECORDED, table_of
from thirdcard.service.store.row_verification import verify_rows
from thirdcard.service.store.schema import AlertRow, Base, ChainLine, RoundRow, UserRow
from thirdcard.service.store.verification import verify_chains

TOO_LATE = 2**62
"""Microseconds since 1970, in the year 148,108."""


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Database]:
    database = open_database(sqlite_url(tmp_path / "room.db"))
    with database.writing() as session:
        furnish(session)
    yield database
    database.close()


def set_by_hand(database: Database, table: Table, column: Column[Any], value: str) -> None:
    """Write SQL for a value into every row of a table."""
    with database.engine.connect().execution_options(is_writing=True) as connection, connection.begin():
        connection.exec_driver_sql(f"UPDATE {table.name} SET {column.name} = {value}")


def found(database: Database) -> list[str]:
    with database.reading() as session:
        read_any_text(session)
        return foreign_values(session)


def rows_found(database: Database) -> list[str]:
    with database.reading() as session:
        read_any_text(session)
        return verify_rows(session)


def foreign_to(column: Column[Any]) -> list[str]:
    """SQL for values that SQLite keeps in a column and that do not belong there."""
    text = isinstance(column.type, String)
    late = [str(TOO_LATE), str(-TOO_LATE)] if isinstance(column.type, UtcTime) else []
    return [*([] if text else ["'x'", "''"]), *late, "x'fffe'"]


def test_a_house_as_the_service_leaves_it_has_none(house: Database) -> None:
    assert found(house) == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_column_names_what_does_not_belong_there(house: Database, kind: type[Base]) -> None:
    table = table_of(kind)
    for column in changeable_columns(kind):
        with house.reading() as session:
            before = session.connection().exec_driver_sql(f"SELECT quote({column.name}) FROM {table.name}").scalar_one()
        for value in foreign_to(column):
            set_by_hand(house, table, column, value)
            (fault,) = found(house)
            assert fault.startswith(f"{table.name}, row ")
            assert f": {column.name} = " in fault
            (row_fault,) = rows_found(house)
            assert row_fault.startswith(f"{RECORDED[kind].word} ") and column.name in row_fault
        set_by_hand(house, table, column, before)
    assert found(house) == rows_found(house) == []


def test_time_beyond_all_calendars_is_named_by_any_database(database: Database) -> None:
    with database.writing() as session:
        furnish(session)
    assert found(database) == []
    set_by_hand(database, table_of(AlertRow), table_of(AlertRow).c.at, str(TOO_LATE))
    assert found(database) == ["alerts, row 1: at = 4611686018427387904; no version of the service writes that"]
    assert rows_found(database)[0].startswith("alert 1: was changed: at = 4611686018427387904, recorded as 2026-")


def test_flag_that_is_neither_0_nor_1_is_named(house: Database) -> None:
    set_by_hand(house, table_of(RoundRow), table_of(RoundRow).c.is_counted, "2")
    (fault,) = found(house)
    assert fault.endswith(": is_counted = 2; no version of the service writes that")


def test_text_that_is_not_utf_8_is_a_changed_value(house: Database) -> None:
    set_by_hand(house, table_of(UserRow), table_of(UserRow).c.role, "CAST(x'61ff' AS TEXT)")
    (fault,) = rows_found(house)
    assert fault.startswith("user x: was changed: role = ")


@pytest.mark.parametrize(
    ("column", "value"), [("at", "'x'"), ("at", str(TOO_LATE)), ("body", "x'fffe'"), ("body", "CAST(x'ff' AS TEXT)")]
)
def test_line_with_such_a_value_breaks_its_chain(house: Database, column: str, value: str) -> None:
    table = table_of(ChainLine)
    set_by_hand(house, table, table.c[column], value)
    with house.reading() as session:
        read_any_text(session)
        fault = verify_chains(session)
    assert fault is not None and fault.endswith(": line 1 was changed, or one was slipped in before it")


def test_many_are_cut_short(house: Database) -> None:
    with house.writing() as session:
        chain.append(session, "audit", [{"act": number} for number in range(2 * MOST)], at=NOW)
    set_by_hand(house, table_of(ChainLine), table_of(ChainLine).c.body, f"zeroblob({3 * LONGEST})")
    faults = found(house)
    assert len(faults) == MOST
    assert all(fault.split(" = ")[1].split("; ")[0].endswith("…") for fault in faults)
