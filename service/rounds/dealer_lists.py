"""Import a house's lists of dealers and rosters: each line is entered or refused with its fault.

A long list is entered in pieces, so that no table waits long for its turn to write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import TypeVar
from zoneinfo import ZoneInfo

from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.service.dealers.csv_files import Line, LineFault, read_dealers, read_roster
from thirdcard.service.dealers.names import fold
from thirdcard.service.dealers.register import DealerError, DealerFields, add_dealer, change_dealer, find_dealer
from thirdcard.service.dealers.roster import StintFields, add_stint, list_stints, remove_stint
from thirdcard.service.rounds.dealer_acts import follow_names
from thirdcard.service.rounds.who_dealt import follow_roster
from thirdcard.service.store import audit
from thirdcard.service.store.database import Database
from thirdcard.service.store.dealer_schema import DealerRow

LINES_AT_ONCE = 200
"""Lines entered in one transaction: half a second's work on two cores."""
Entry = TypeVar("Entry")


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """A dealer whom a list gives another name."""

    line: int
    was: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The result of importing a list."""

    taken: int
    faults: Sequence[LineFault]
    """By line."""
    renamed: Sequence[Renamed] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterList:
    """A roster as it comes."""

    text: str
    zone: ZoneInfo
    """The house's time zone."""
    tables: Sequence[str]
    """The tables that it may name."""
    replaces: bool = False
    """Whether older lines of the same table and time are removed, as by a roster that was changed."""


def import_dealers(database: Database, who: str, text: str, *, now: datetime) -> Imported:
    """Import a list of dealers; existing ones, found by number or name, are changed.

    What the list has no column for stays as it is. A line whose badge is still a dealer's with a later line is entered
    after that line.

    Raises:
        DealerError: It is no such list.
    """
    read = read_dealers(text)
    lines, faults = _without_doubles(read.lines)
    renamed: list[Renamed] = []

    def enter(session: Session, line: Line[DealerFields]) -> None:
        was, number = _enter_dealer(session, line.entry, read.columns, now)
        name = session.get_one(DealerRow, number).name
        if was is not None and was != name:
            renamed.append(Renamed(line=line.number, was=was, name=name))
            audit.note(session, who, "dealer.changed", f"dealer:{number}", at=now, name=name, was=was)

    refused = _enter_all(database, who, "dealers.imported", lines, enter, now)
    again = {fault.line for fault in refused if fault.field in ("staff_id", "badge")}
    if again and len(again) < len(lines):
        left = [line for line in lines if line.number in again]
        refused = [fault for fault in refused if fault.line not in again]
        refused += _enter_all(database, who, "dealers.imported", left, enter, now)
    return _imported(len(lines) - len(refused), [*read.faults, *faults, *refused], renamed)


def import_roster(database: Database, who: str, roster: RosterList, *, now: datetime) -> Imported:
    """Import a roster; a line that exists already counts as imported.

    Raises:
        DealerError: It is no such list.
    """
    read = read_roster(roster.text, roster.zone, roster.tables)
    listed = {(line.entry.table_id, line.entry.from_at, line.entry.to_at) for line in read.lines}
    spans: dict[str, tuple[datetime, datetime]] = {}

    def enter(session: Session, line: Line[StintFields]) -> None:
        entry = line.entry
        if _is_entered(session, entry):
            return
        first, last = spans.get(entry.table_id, (entry.from_at, entry.to_at))
        with session.begin_nested():
            gone = _replaced(session, entry, listed) if roster.replaces else []
            add_stint(session, who, entry, now=now)
        for from_at, to_at in (*gone, (entry.from_at, entry.to_at)):
            first, last = min(first, from_at), max(last, to_at)
        spans[entry.table_id] = first, last

    refused = _enter_all(database, who, "roster.imported", read.lines, enter, now)
    for table, span in sorted(spans.items()):
        with database.writing() as session:
            follow_roster(session, table, *span, now=now)
    return _imported(len(read.lines) - len(refused), [*read.faults, *refused])


def _enter_all(
    database: Database,
    who: str,
    action: str,
    lines: Iterable[Line[Entry]],
    enter: Callable[[Session, Line[Entry]], None],
    now: datetime,
) -> list[LineFault]:
    """Enter lines in pieces, each with a note in the audit; returns the faults of those that were refused."""
    refused: list[LineFault] = []
    for piece in _pieces(lines):
        faults = []
        with database.writing() as session:
            for line in piece:
                try:
                    enter(session, line)
                except DealerError as error:
                    faults.append(LineFault(line=line.number, field=error.field, message=str(error)))
            audit.note(session, who, action, None, at=now, taken=len(piece) - len(faults), refused=len(faults))
        refused += faults
    return refused


def _pieces(lines: Iterable[Line[Entry]]) -> Iterator[list[Line[Entry]]]:
    rest = iter(lines)
    yield list(islice(rest, LINES_AT_ONCE))
    while piece := list(islice(rest, LINES_AT_ONCE)):
        yield piece


def _imported(taken: int, faults: Iterable[LineFault], renamed: Sequence[Renamed] = ()) -> Imported:
    return Imported(taken=taken, faults=sorted(faults, key=lambda fault: fault.line), renamed=renamed)


def _without_doubles(lines: Iterable[Line[DealerFields]]) -> tuple[list[Line[DealerFields]], list[LineFault]]:
    """The lines of different persons, and the faults of the others, whose number (or name, without one) came before."""
    kept: list[Line[DealerFields]] = []
    faults: list[LineFault] = []
    first: dict[tuple[str, str], int] = {}
    for line in lines:
        number = line.entry.staff_id
        field, text = ("name", line.entry.name) if number is None else ("id", number)
        before = first.setdefault((field, fold(text)), line.number)
        if before == line.number:
            kept.append(line)
        else:
            faults.append(
                LineFault(line=line.number, field=field, message=f"{field} = {text}; line {before} has it already")
            )
    return kept, faults


def _enter_dealer(
    session: Session, fields: DealerFields, columns: Sequence[str], now: datetime
) -> tuple[str | None, int]:
    """Add or change the dealer of a line; returns the previous name of a confirmed one, and the number in the register.

    Raises:
        DealerError: A field is not allowed, another dealer has it, or the number is another person's.
    """
    known = _known(session, fields)
    if known is None:
        number = add_dealer(session, fields, now=now)
        follow_names(session, number, fields.name)
        return None, number
    was, was_confirmed = known.name, known.is_confirmed
    if was_confirmed and not set(fold(was).split()) & set(fold(fields.name).split()):
        raise DealerError(
            "id",
            f"id = {fields.staff_id}; is {was}. If that person changed the name, change it in the register; if the "
            "number is another's now, take it from that entry first",
        )
    change_dealer(
        session,
        known.id,
        replace(
            fields,
            staff_id=fields.staff_id if "id" in columns else known.staff_id,
            badge=fields.badge if "badge" in columns else known.badge,
            is_active=fields.is_active if "active" in columns else known.is_active,
        ),
    )
    follow_names(session, known.id, was)
    return was if was_confirmed else None, known.id


def _known(session: Session, fields: DealerFields) -> DealerRow | None:
    """The registered dealer with that number, or else with that name and no other number."""
    if fields.staff_id is not None:
        found = session.scalar(select(DealerRow).where(DealerRow.staff_id == fields.staff_id))
        if found is not None:
            return found
    named = find_dealer(session, fields.name)
    if named is None or fold(named.name) != fold(fields.name):
        return None
    return named if named.staff_id is None or fields.staff_id is None else None


def _is_entered(session: Session, entry: StintFields) -> bool:
    dealer = None if entry.dealer is None else find_dealer(session, entry.dealer)
    there = list_stints(session, table_id=entry.table_id, from_at=entry.from_at, to_at=entry.to_at)
    same = (entry.from_at, entry.to_at, None if dealer is None else dealer.name, entry.is_ruling)
    return any((one.from_at, one.to_at, one.dealer, one.is_ruling) == same for one in there)


def _replaced(
    session: Session, entry: StintFields, listed: set[tuple[str, datetime, datetime]]
) -> list[tuple[datetime, datetime]]:
    """Remove older planned lines that overlap a line; returns their spans."""
    gone = []
    for one in list_stints(session, table_id=entry.table_id, from_at=entry.from_at, to_at=entry.to_at):
        is_same_span = (one.from_at, one.to_at) == (entry.from_at, entry.to_at)
        if not one.is_ruling and (is_same_span or (one.table_id, one.from_at, one.to_at) not in listed):
            remove_stint(session, one.id)
            gone.append((one.from_at, one.to_at))
    return gone
