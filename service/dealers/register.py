"""The house's dealers: added, changed, merged where two entries are one person, and found in any spelling.

A table reports a name, a staff number or a badge; rounds, alerts and figures store the register's name, so that case
and spelling do not make two persons. A name that nobody has entered is registered as unconfirmed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from thirdcard.service.dealers.names import LONGEST_NAME, fold, looks_like, tidy
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.store.dealer_schema import DealerNameRow, DealerRow, StintRow

LONGEST_STAFF_ID, LONGEST_BADGE = 64, 100


class DealerError(ServiceError):
    """A dealer's data are not allowed; `field` names the wrong field."""

    def __init__(self, field: str, message: str) -> None:
        self.field = field
        super().__init__(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class DealerFields:
    """The editable data of a dealer."""

    name: str
    staff_id: str | None = None
    badge: str | None = None
    is_active: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class DealerView:
    """One dealer of the register."""

    id: int
    name: str
    staff_id: str | None
    badge: str | None
    is_active: bool
    is_confirmed: bool
    other_names: tuple[str, ...] = ()
    """Other spellings, without case and order of words."""
    looks_like: str | None = None
    """For an unconfirmed entry: a similar dealer's name, of which it may be a misspelling."""


def find_dealer(session: Session, text: str) -> DealerRow | None:
    """The dealer with that badge, staff number or name; None where none is known."""
    plain = tidy(text)
    found = session.scalar(select(DealerRow).where(_has(plain)).limit(1))
    if found is not None:
        return found
    name = plain[:LONGEST_NAME].rstrip()
    named = select(DealerRow).join(DealerNameRow, DealerNameRow.dealer_id == DealerRow.id)
    found = session.scalar(named.where(DealerNameRow.folded == fold(name)))
    return session.scalar(select(DealerRow).where(DealerRow.name == name)) if found is None else found


def numbered(session: Session, staff_id: str) -> DealerRow | None:
    """The dealer with that number in the house's lists, in capitals or small letters; None where there is none."""
    forms = {staff_id, staff_id.lower(), staff_id.upper()}
    return session.scalar(select(DealerRow).where(DealerRow.staff_id.in_(forms)).limit(1))


def named_so(session: Session, name: str) -> str:
    """The registered name of the dealer who is written so; the text where nobody is. A badge does not lead to it."""
    row = session.get(DealerNameRow, fold(tidy(name)))
    return name if row is None else session.get_one(DealerRow, row.dealer_id).name


def registered_name(session: Session, text: str) -> str:
    """The registered name of a dealer whom a log names, however it was written; the text where nobody is known."""
    found = find_dealer(session, text)
    return text if found is None else found.name


def known_as(session: Session, text: str, *, now: datetime) -> str:
    """The registered name of the dealer that a device or log names; a new name is registered as unconfirmed."""
    found = find_dealer(session, text)
    if found is not None:
        return found.name
    name = tidy(text)[:LONGEST_NAME].rstrip()
    row = DealerRow(name=name, is_active=True, is_confirmed=False, added_at=now)
    session.add(row)
    session.flush()
    session.add(DealerNameRow(folded=fold(name), dealer_id=row.id))
    session.flush()
    return row.name


def add_dealer(session: Session, fields: DealerFields, *, now: datetime) -> int:
    """Add a dealer, or confirm one whose name came from a log; returns the number in the register.

    Raises:
        DealerError: A field is not allowed, or another dealer has it.
    """
    fields = _checked(fields)
    row = session.scalar(
        select(DealerRow)
        .join(DealerNameRow, DealerNameRow.dealer_id == DealerRow.id)
        .where(DealerNameRow.folded == fold(fields.name))
    )
    if row is not None and row.is_confirmed:
        raise DealerError("name", f"name = {fields.name}; {_told(row)} has this name already, or had it")
    _refuse_taken(session, fields, but=None if row is None else row.id)
    if row is None:
        row = DealerRow(name=fields.name, is_active=True, is_confirmed=True, added_at=now)
        session.add(row)
        session.flush()
        session.add(DealerNameRow(folded=fold(fields.name), dealer_id=row.id))
    row.name, row.staff_id, row.badge = fields.name, fields.staff_id, fields.badge
    row.is_active, row.is_confirmed = fields.is_active, True
    return row.id


def change_dealer(session: Session, dealer_id: int, fields: DealerFields) -> str | None:
    """Change a dealer's data; returns the previous name, or None where there is no such dealer.

    Rounds and alerts keep their names; the caller updates them after a change of name.

    Raises:
        DealerError: A field is not allowed, or another dealer has it.
    """
    row = session.get(DealerRow, dealer_id, with_for_update=True)
    if row is None:
        return None
    fields = _checked(fields)
    _refuse_taken(session, fields, but=row.id)
    other = session.get(DealerNameRow, fold(fields.name))
    if other is not None and other.dealer_id != row.id:
        raise DealerError("name", f"name = {fields.name}; {_told(session.get_one(DealerRow, other.dealer_id))} has it")
    if other is None:
        session.add(DealerNameRow(folded=fold(fields.name), dealer_id=row.id))
    before = row.name
    row.name, row.staff_id, row.badge = fields.name, fields.staff_id, fields.badge
    row.is_active, row.is_confirmed = fields.is_active, True
    return before


def join_dealers(session: Session, kept_id: int, gone_id: int) -> tuple[str, str] | None:
    """Merge two entries of the same person; returns the name that stays and the one that goes.

    None where there are no such two. Rounds and alerts keep their names; the caller updates them.
    """
    kept, gone = (session.get(DealerRow, one, with_for_update=True) for one in (kept_id, gone_id))
    if kept is None or gone is None or kept is gone:
        return None
    for name in session.scalars(select(DealerNameRow).where(DealerNameRow.dealer_id == gone.id)).all():
        name.dealer_id = kept.id
    for stint in session.scalars(select(StintRow).where(StintRow.dealer_id == gone.id)).all():
        stint.dealer_id = kept.id
    session.flush()
    staff_id, badge, names = gone.staff_id, gone.badge, (kept.name, gone.name)
    session.delete(gone)
    session.flush()
    kept.is_confirmed = True
    if kept.staff_id is None:
        kept.staff_id, staff_id = staff_id, None
    if kept.badge is None:
        kept.badge, badge = badge, None
    for spare in (staff_id, badge):
        if spare is not None and session.get(DealerNameRow, fold(spare)) is None:
            session.add(DealerNameRow(folded=fold(spare), dealer_id=kept.id))
    session.flush()
    return names


def join_reported(session: Session, dealer_id: int) -> list[tuple[str, str]]:
    """Merge what tables reported before a dealer's badge or number was entered into the dealer's own entry.

    Returns the names as `join_dealers`, of each entry that goes.
    """
    row = session.get_one(DealerRow, dealer_id)
    joined = []
    for text in (row.staff_id, row.badge):
        written = None if text is None else session.get(DealerNameRow, fold(text))
        other = None if written is None else session.get(DealerRow, written.dealer_id)
        is_same = other is not None and text is not None and other.name.casefold() == text.casefold()
        if other is not None and is_same and other is not row and not other.is_confirmed:
            names = join_dealers(session, row.id, other.id)
            joined += [] if names is None else [names]
    return joined


def list_dealers(session: Session) -> list[DealerView]:
    """All dealers, sorted by name."""
    rows = session.scalars(select(DealerRow).order_by(func.lower(DealerRow.name))).all()
    names: dict[int, list[str]] = {}
    for written in session.scalars(select(DealerNameRow).order_by(DealerNameRow.folded)):
        names.setdefault(written.dealer_id, []).append(written.folded)
    confirmed = [row.name for row in rows if row.is_confirmed]
    return [
        DealerView(
            id=row.id,
            name=row.name,
            staff_id=row.staff_id,
            badge=row.badge,
            is_active=row.is_active,
            is_confirmed=row.is_confirmed,
            other_names=tuple(name for name in names.get(row.id, ()) if name != fold(row.name)),
            looks_like=None if row.is_confirmed else looks_like(row.name, confirmed),
        )
        for row in rows
    ]


def active_names(session: Session) -> Sequence[str]:
    """The names of all active, confirmed dealers, sorted."""
    wanted = select(DealerRow.name).where(DealerRow.is_active, DealerRow.is_confirmed)
    return session.scalars(wanted.order_by(func.lower(DealerRow.name))).all()


def _checked(fields: DealerFields) -> DealerFields:
    name = tidy(fields.name)
    staff_id, badge = (tidy(text) if text and text.strip() else None for text in (fields.staff_id, fields.badge))
    for field, text, longest in (
        ("name", name, LONGEST_NAME),
        ("staff_id", staff_id, LONGEST_STAFF_ID),
        ("badge", badge, LONGEST_BADGE),
    ):
        if field == "name" and not text:
            raise DealerError(field, "name: a text that is not empty")
        if text is not None and (len(text) > longest or not text.isprintable()):
            raise DealerError(field, f"{field}: a text of at most {longest} printable characters")
    return DealerFields(name=name, staff_id=staff_id, badge=badge, is_active=fields.is_active)


def _refuse_taken(session: Session, fields: DealerFields, *, but: int | None) -> None:
    for field, value in (("staff_id", fields.staff_id), ("badge", fields.badge)):
        if value is None:
            continue
        other = next((row for row in session.scalars(select(DealerRow).where(_has(value))) if row.id != but), None)
        if other is not None:
            raise DealerError(field, f"{field} = {value}; {_told(other)} has it")


def _has(text: str) -> ColumnElement[bool]:
    """Whose badge or number it is: readers and lists write letters as capitals or small; both are in an index."""
    forms = {text, text.lower(), text.upper()}
    return or_(DealerRow.badge.in_(forms), DealerRow.staff_id.in_(forms))


def _told(row: DealerRow) -> str:
    return row.name if row.staff_id is None else f"{row.name} ({row.staff_id})"
