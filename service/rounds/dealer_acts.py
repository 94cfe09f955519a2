"""Changes of dealers and the roster by people: each is recorded, and rounds, alerts and figures are updated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.service.dealers.csv_files import LineFault, read_dealers, read_roster
from thirdcard.service.dealers.names import fold
from thirdcard.service.dealers.register import (
    DealerError,
    DealerFields,
    add_dealer,
    change_dealer,
    find_dealer,
    join_dealers,
)
from thirdcard.service.dealers.roster import StintFields, add_stint, list_stints, remove_stint
from thirdcard.service.rounds.who_dealt import follow_roster, rename
from thirdcard.service.store import audit
from thirdcard.service.store.dealer_schema import DealerRow, StintRow
from thirdcard.service.store.people import Person


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The result of importing a list."""

    taken: int
    faults: Sequence[LineFault]
    """By line."""


def enter_dealer(session: Session, who: str, fields: DealerFields, *, now: datetime) -> int:
    """Add a dealer; returns the number in the register.

    Raises:
        DealerError: A field is not allowed, or another dealer has it.
    """
    number = add_dealer(session, fields, now=now)
    audit.note(session, who, "dealer.added", f"dealer:{number}", at=now, name=fields.name)
    return number


def edit_dealer(session: Session, who: str, dealer_id: int, fields: DealerFields, *, now: datetime) -> bool:
    """Change a dealer's data, and the name in rounds, alerts and figures; returns False where there is no such dealer.

    Raises:
        DealerError: A field is not allowed, or another dealer has it.
    """
    before = change_dealer(session, dealer_id, fields)
    if before is None:
        return False
    name = session.get_one(DealerRow, dealer_id).name
    rounds = rename(session, before, name) if before != name else 0
    audit.note(session, who, "dealer.changed", f"dealer:{dealer_id}", at=now, name=name, was=before, rounds=rounds)
    return True


def join(session: Session, who: str, kept_id: int, gone_id: int, *, now: datetime) -> bool:
    """Merge two entries of the same person; returns False where there are no such two."""
    names = join_dealers(session, kept_id, gone_id)
    if names is None:
        return False
    rounds = rename(session, names[1], names[0])
    audit.note(
        session, who, "dealer.joined", f"dealer:{kept_id}", at=now, name=names[0], joined=names[1], rounds=rounds
    )
    return True


def import_dealers(session: Session, who: str, text: str, *, now: datetime) -> Imported:
    """Import a list of dealers; existing ones, found by number or name, are changed.

    Raises:
        DealerError: It is no such list.
    """
    read, taken = read_dealers(text), 0
    faults = list(read.faults)
    numbers: dict[str | None, int] = {}
    for line in read.lines:
        try:
            first = numbers.setdefault(line.entry.staff_id, line.number)
            if line.entry.staff_id is not None and first != line.number:
                raise DealerError("id", f"id = {line.entry.staff_id}; line {first} has it already")
            known = _known(session, line.entry)
            if known is None or not known.is_confirmed:
                add_dealer(session, line.entry, now=now)
            else:
                before = change_dealer(session, known.id, line.entry)
                if before is not None and before != known.name:
                    rename(session, before, known.name)
            taken += 1
        except DealerError as error:
            faults.append(LineFault(line=line.number, field=error.field, message=str(error)))
    audit.note(session, who, "dealers.imported", None, at=now, taken=taken, refused=len(faults))
    return Imported(taken=taken, faults=sorted(faults, key=lambda fault: fault.line))


def enter_stint(session: Session, who: str, fields: StintFields, *, now: datetime) -> int:
    """Add a line of the roster; returns its number.

    Raises:
        DealerError: The dealer is unknown, the times are wrong, or it overlaps another of its kind.
    """
    number = add_stint(session, who, fields, now=now)
    rounds = follow_roster(session, fields.table_id, fields.from_at, fields.to_at, now=now)
    action = "dealer.assigned" if fields.is_ruling else "stint.added"
    told = {"stint": number, "dealer": fields.dealer or "nobody", "rounds": rounds}
    audit.note(session, who, action, f"table:{fields.table_id}", at=now, **told)
    return number


def take_stint_out(session: Session, person: Person, stint_id: int, *, now: datetime) -> bool:
    """Remove a line of the roster; returns False where there is none, or the person may not see its table."""
    row = session.get(StintRow, stint_id)
    if row is None or not person.may_see(row.table_id):
        return False
    gone = remove_stint(session, stint_id)
    assert gone is not None, "it is there"
    rounds = follow_roster(session, gone.table_id, gone.from_at, gone.to_at, now=now)
    told = {"stint": stint_id, "dealer": gone.dealer or "nobody", "rounds": rounds}
    audit.note(session, person.name, "stint.removed", f"table:{gone.table_id}", at=now, **told)
    return True


def import_roster(
    session: Session, who: str, text: str, *, zone: ZoneInfo, tables: Sequence[str], now: datetime
) -> Imported:
    """Import a roster; a line that exists already counts as imported.

    Raises:
        DealerError: It is no such list.
    """
    read, taken = read_roster(text, zone, tables), 0
    faults = list(read.faults)
    spans: dict[str, tuple[datetime, datetime]] = {}
    for line in read.lines:
        entry = line.entry
        try:
            if not _is_entered(session, entry):
                add_stint(session, who, entry, now=now)
                first, last = spans.get(entry.table_id, (entry.from_at, entry.to_at))
                spans[entry.table_id] = min(first, entry.from_at), max(last, entry.to_at)
            taken += 1
        except DealerError as error:
            faults.append(LineFault(line=line.number, field=error.field, message=str(error)))
    rounds = sum(follow_roster(session, table, *span, now=now) for table, span in sorted(spans.items()))
    audit.note(session, who, "roster.imported", None, at=now, taken=taken, refused=len(faults), rounds=rounds)
    return Imported(taken=taken, faults=sorted(faults, key=lambda fault: fault.line))


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
