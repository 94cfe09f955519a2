"""Which rows of the database are recorded in chains, under which subject, and which of their values.

A row must match its record: the last entry about it gives the values of all its columns. Short values are recorded
unchanged, long texts and secrets by their SHA-256. Entries about a gaming table's rows are in a chain of that table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache, lru_cache
from typing import Any

from sqlalchemy import Boolean, Column, Float, String, Table, inspect
from sqlalchemy.orm import Session
from sqlalchemy.orm.util import identity_key
from sqlalchemy.types import TypeEngine

from thirdcard.service.store.columns import UtcTime, stored_time, time_of
from thirdcard.service.store.dealer_schema import DealerNameRow, DealerRow, StintRow
from thirdcard.service.store.round_schema import CorrectionRow, RoundTerm
from thirdcard.service.store.schema import (
    AlertChange,
    AlertRow,
    Base,
    CaseAlert,
    CaseNote,
    CaseRow,
    ChainHead,
    ChainLine,
    DeliveryPlace,
    DeliveryRow,
    DoubtfulRow,
    EvidenceRow,
    HoldRow,
    LogRow,
    RoundRow,
    SessionRow,
    SignalRow,
    TokenRow,
    UserRow,
)
from thirdcard.service.store.sealing_schema import CheckpointRow, SubtreeRow, TreeLeaf
from thirdcard.service.store.setup_schema import SetupRow, WatchedTableRow
from thirdcard.service.store.shift_schema import FootageRow, LogNoteRow
from thirdcard.service.store.tally_schema import CodeTallyRow, ErringTallyRow, TallyRow, TouchedHour

CHAINS = "rows/"
"""The prefix of the names of all chains that record rows."""
LONGEST_TEXT = 200
"""The longest text, in characters, that is recorded unchanged: names, states, codes and paths. Longer ones are recorded
by their SHA-256."""
Key = tuple[Any, ...]
"""A row's primary key."""


class RecordSubject(StrEnum):
    """The subject of rows; each has its own chains."""

    ALERTS = "alerts"
    ROUNDS = "rounds"
    CASES = "cases"
    PEOPLE = "people"
    TABLES = "tables"
    DEALERS = "dealers"


PER_TABLE = frozenset({RecordSubject.ALERTS, RecordSubject.ROUNDS})
"""Subjects with a chain for each gaming table, so that tables do not block each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowRecording:
    """How the rows of one database table are recorded."""

    subject: RecordSubject
    word: str
    """The name of such a row in messages."""
    secret: frozenset[str] = frozenset()
    """Columns that are always recorded by their hash, even if short."""
    left_out: frozenset[str] = frozenset()
    """Unimportant columns that change often."""


RECORDED: Mapping[type[Base], RowRecording] = {
    AlertRow: RowRecording(subject=RecordSubject.ALERTS, word="alert"),
    AlertChange: RowRecording(subject=RecordSubject.ALERTS, word="decision"),
    EvidenceRow: RowRecording(subject=RecordSubject.ALERTS, word="piece of evidence"),
    DoubtfulRow: RowRecording(subject=RecordSubject.ALERTS, word="doubtful finding"),
    LogRow: RowRecording(subject=RecordSubject.ROUNDS, word="log"),
    RoundRow: RowRecording(subject=RecordSubject.ROUNDS, word="round", left_out=frozenset({"terms"})),
    CorrectionRow: RowRecording(subject=RecordSubject.ROUNDS, word="correction"),
    FootageRow: RowRecording(subject=RecordSubject.ROUNDS, word="stretch of footage"),
    LogNoteRow: RowRecording(subject=RecordSubject.ROUNDS, word="note on a log"),
    CaseRow: RowRecording(subject=RecordSubject.CASES, word="case"),
    CaseAlert: RowRecording(subject=RecordSubject.CASES, word="case and its alert"),
    CaseNote: RowRecording(subject=RecordSubject.CASES, word="note on a case"),
    HoldRow: RowRecording(subject=RecordSubject.CASES, word="hold"),
    UserRow: RowRecording(subject=RecordSubject.PEOPLE, word="user", secret=frozenset({"password_hash"})),
    TokenRow: RowRecording(
        subject=RecordSubject.PEOPLE, word="token", secret=frozenset({"token_hash"}), left_out=frozenset({"used_at"})
    ),
    SetupRow: RowRecording(subject=RecordSubject.TABLES, word="version of a set-up"),
    WatchedTableRow: RowRecording(
        subject=RecordSubject.TABLES, word="watched table", left_out=frozenset({"is_placed"})
    ),
    DealerRow: RowRecording(subject=RecordSubject.DEALERS, word="dealer"),
    DealerNameRow: RowRecording(subject=RecordSubject.DEALERS, word="spelling of a dealer"),
    StintRow: RowRecording(subject=RecordSubject.DEALERS, word="line of the roster"),
}
UNRECORDED: Mapping[type[Base], str] = {
    ChainLine: "is a line of a chain",
    ChainHead: "is a chain's end",
    TreeLeaf: "is a leaf of the log over all chains",
    SubtreeRow: "is found again from the leaves",
    CheckpointRow: "is signed",
    SessionRow: "browsers come and go; who signed in stands in the audit",
    SignalRow: "what devices reported stands in the log once a table took it in",
    DeliveryRow: "what was sent to whom is no evidence, and is deleted after a while",
    DeliveryPlace: "says how far deliveries were entered",
    RoundTerm: "is found again from rounds",
    TallyRow: "is found again from rounds",
    CodeTallyRow: "is found again from alerts",
    ErringTallyRow: "is found again from alerts",
    TouchedHour: "says which sums are to be made anew",
}
"""Why the rows of the other tables are in no chain."""


@cache
def columns_of(kind: type[Base]) -> Sequence[Column[Any]]:
    """The recorded columns, including the primary key."""
    left_out = RECORDED[kind].left_out
    return tuple(column for column in table_of(kind).columns if column.name not in left_out)


@cache
def table_of(kind: type[Base]) -> Table:
    """The database table of these rows."""
    table = inspect(kind).local_table
    assert isinstance(table, Table), "each class has one table"
    return table


def recorded_values(kind: type[Base], values: Iterable[Any], *, are_stored: bool = False) -> dict[str, Any]:
    """What an entry records of a row, by column: the same before writing the row and after reading it back.

    Args:
        kind: The row's class.
        values: The values of all recorded columns, in the order of `columns_of`.
        are_stored: Whether times are microseconds since 1970, as the database stores them.
    """
    told = zip(_recorders(kind, are_stored), values, strict=True)
    return {name: None if value is None else recorder(value) for (name, recorder), value in told}


def values_of(row: Base) -> list[Any]:
    """The values of all recorded columns of a row, in the order of `columns_of`."""
    return [getattr(row, name) for name in column_names(type(row))]


@cache
def _recorders(kind: type[Base], are_stored: bool) -> Sequence[tuple[str, Callable[[Any], Any]]]:
    recorders = ((column.name, _recorder(kind, column)) for column in columns_of(kind))
    return tuple((name, _stored_time if are_stored and of is _time else of) for name, of in recorders)


@cache
def column_names(kind: type[Base]) -> Sequence[str]:
    """The names of the recorded columns."""
    return tuple(column.name for column in columns_of(kind))


@cache
def parent_column(kind: type[Base]) -> str | None:
    """The column that leads to a row's gaming table; None where the chain is not a gaming table's."""
    names = (name for name in ("table_id", "alert_id", "log_id") if name in column_names(kind))
    return next(names) if RECORDED[kind].subject in PER_TABLE else None


@cache
def key_names(kind: type[Base]) -> Sequence[str]:
    """The names of the primary key's columns."""
    return tuple(column.name for column in table_of(kind).primary_key.columns)


def chain_of_row(session: Session, kind: type[Base], parent: Any) -> str:
    """The name of the chain that records a row.

    Args:
        session: A transaction.
        kind: The row's class.
        parent: The value of the class's `parent_column`; None where it has none.
    """
    match parent_column(kind):
        case "alert_id":
            parent = _gaming_table(session, AlertRow, parent)
        case "log_id":
            parent = _gaming_table(session, LogRow, parent)
    return chain_of_subject(RECORDED[kind].subject, parent)


def _gaming_table(session: Session, kind: type[AlertRow] | type[LogRow], key: Any) -> str:
    """The gaming table of an alert or log, which is mostly loaded: `get_one` costs as much as sealing a line."""
    row: Any = session.identity_map.get(identity_key(kind, key)) or session.get_one(kind, key)
    return str(row.table_id)


def chain_of_subject(subject: RecordSubject, table_id: str | None) -> str:
    """The name of a subject's chain, for one gaming table where the subject has one for each."""
    return f"{CHAINS}{subject}/{table_id}" if subject in PER_TABLE else f"{CHAINS}{subject}"


def recorded_value(kind: type[Base], column: Column[Any], value: Any) -> Any:
    """A column's value as recorded in an entry: the same before writing and after reading it back."""
    return None if value is None else _recorder(kind, column)(value)


@cache
def _recorder(kind: type[Base], column: Column[Any]) -> Callable[[Any], Any]:
    """What makes a recorded value of a column's value that is not None."""
    if isinstance(column.type, String):
        return _hash if column.name in RECORDED[kind].secret else _text
    for of, recorder in _RECORDERS.items():
        if isinstance(column.type, of):
            return recorder
    return _same


def _text(value: Any) -> Any:
    """SQLite holds a value of any type in any column, if somebody writes it there: such a value stays as it is."""
    return _hash(value) if isinstance(value, str) and len(value) > LONGEST_TEXT else value


def _hash(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return ["sha256", hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()]


def _time(value: datetime) -> Any:
    return _stored_time(stored_time(value))


@lru_cache(maxsize=100)
def _stored_time(stored: Any) -> Any:
    """The rows of one transaction often have the same times. What is no time stays as it is, as in `_text`."""
    try:
        return time_of(stored).isoformat()
    except (OverflowError, TypeError):
        return stored


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, int | float) else value


def _flag(value: Any) -> Any:
    return bool(value) if value in (0, 1) else value


def _same(value: Any) -> Any:
    return value


_RECORDERS: Mapping[type[TypeEngine[Any]], Callable[[Any], Any]] = {UtcTime: _time, Boolean: _flag, Float: _number}
