"""Import a house's lists of dealers and rosters: each line is entered or refused with its fault.

A long list is entered in pieces, so that no table waits long for its turn to write.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import TypeVar
from zoneinfo import ZoneInfo

from sqlalchemy.orm import Session

from thirdcard.service.dealers.csv_files import Line, LineFault, read_dealers, read_roster
from thirdcard.service.dealers.names import fold, is_one_person
from thirdcard.service.dealers.register import (
    DealerError,
    DealerFields,
    add_dealer,
    change_dealer,
    find_dealer,
    numbered,
)
from thirdcard.service.dealers.roster import Stint, StintFields, add_stint, list_stints
from thirdcard.service.rounds.dealer_acts import follow_names, take_stint
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

    What the list has no column for stays as it is. A line whose number or badge another dealer has is tried again after
    the others, as long as that helps: badges are passed on.

    Raises:
        DealerError: It is no such list.
    """
    read = read_dealers(text)
    lines, faults = _first_of_each(read.lines, _person, "id", "the same person has another line already")
    renamed: list[Renamed] = []

    def enter(session: Session, line: Line[DealerFields]) -> None:
        was, number = _enter_dealer(session, line.entry, read.columns, now)
        name = session.get_one(DealerRow, number).name
        if was is not None and was != name:
            renamed.append(Renamed(line=line.number, was=was, name=name))
            audit.note(session, who, "dealer.changed", f"dealer:{number}", at=now, name=name, was=was)

    refused: list[LineFault] = []
    left = lines
    while left:
        came = _enter_all(database, who, "dealers.imported", left, enter, now)
        again = {fault.line for fault in came if fault.field in ("staff_id", "badge")}
        is_over = len(came) == len(left)
        refused += came if is_over else [fault for fault in came if fault.line not in again]
        left = [] if is_over else [line for line in left if line.number in again]
    return _imported(len(lines) - len(refused), [*read.faults, *faults, *refused], renamed)


def import_roster(database: Database, who: str, roster: RosterList, *, now: datetime) -> Imported:
    """Import a roster; a line that exists already counts as imported.

    Raises:
        DealerError: It is no such list.
    """
    read = read_roster(roster.text, roster.zone, roster.tables)
    lines, faults = _first_of_each(read.lines, _span, "from", "another line has that table and time")
    listed = {_span(line.entry) for line in lines}

    def enter(session: Session, line: Line[StintFields]) -> None:
        entry = line.entry
        if _is_entered(session, entry):
            return
        for stint in _overlapped(session, entry, listed) if roster.replaces else ():
            take_stint(session, who, stint.id, now=now)
        add_stint(session, who, entry, now=now)
        follow_roster(session, entry.table_id, entry.from_at, entry.to_at, now=now)

    refused = _enter_all(database, who, "roster.imported", lines, enter, now)
    return _imported(len(lines) - len(refused), [*read.faults, *faults, *refused])


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
                    with session.begin_nested():
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


def _first_of_each(
    lines: Iterable[Line[Entry]], key_of: Callable[[Entry], Hashable], field: str, say: str
) -> tuple[list[Line[Entry]], list[LineFault]]:
    """The first line with each key, and the faults of the others."""
    kept: list[Line[Entry]] = []
    faults: list[LineFault] = []
    first: dict[Hashable, int] = {}
    for line in lines:
        before = first.setdefault(key_of(line.entry), line.number)
        if before == line.number:
            kept.append(line)
        else:
            faults.append(LineFault(line=line.number, field=field, message=f"{say}: line {before}"))
    return kept, faults


def _person(fields: DealerFields) -> Hashable:
    """What tells the persons of a list apart: the number, or the name without one."""
    return ("name", fold(fields.name)) if fields.staff_id is None else ("id", fields.staff_id.casefold())


def _span(entry: StintFields) -> tuple[str, datetime, datetime]:
    return entry.table_id, entry.from_at, entry.to_at


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
    if was_confirmed and not is_one_person(was, fields.name):
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
        found = numbered(session, fields.staff_id)
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


def _overlapped(session: Session, entry: StintFields, listed: set[tuple[str, datetime, datetime]]) -> list[Stint]:
    """Older planned lines at the table and time of a line, but for those that the list itself holds."""
    there = list_stints(session, table_id=entry.table_id, from_at=entry.from_at, to_at=entry.to_at)
    spans = [(one, (one.table_id, one.from_at, one.to_at)) for one in there if not one.is_ruling]
    return [one for one, span in spans if span == _span(entry) or span not in listed]
