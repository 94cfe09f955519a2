"""The roster: who is scheduled to deal where and when, and who dealt at a given time by roster and log.

A table's log says when a dealer came, which holds until it says that another did; a line of the roster holds until its
end. Of those that hold, the one that began last applies. What was entered afterwards as the fact overrides both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from thirdcard.service.dealers.register import DealerError, find_dealer
from thirdcard.service.store.dealer_schema import DealerRow, StintRow

LONGEST = timedelta(hours=16)
"""The longest stint: a longer one has a wrong date."""
JUST_BEFORE = timedelta(milliseconds=1)
"""The resolution of a log's times: who came at a round's end did not deal it."""
Change = tuple[datetime, str | None]
"""A time and who deals from then on; None: nobody known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StintFields:
    """A line of the roster as entered."""

    table_id: str
    from_at: datetime
    to_at: datetime
    dealer: str | None
    """A name, a staff number or a badge; None for a break."""
    is_ruling: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Stint:
    """A line of the roster."""

    id: int
    table_id: str
    from_at: datetime
    to_at: datetime
    dealer: str | None
    is_ruling: bool
    entered_by: str


def add_stint(session: Session, who: str, fields: StintFields, *, now: datetime) -> int:
    """Add a line; returns its number.

    Raises:
        DealerError: The dealer is unknown, the times are wrong, or it overlaps another line of its kind at that table.
    """
    row = _row(session, who, fields, now)
    session.add(row)
    session.flush()
    return row.id


def remove_stint(session: Session, stint_id: int) -> Stint | None:
    """Remove a line and return it; None where there is none."""
    found = next(iter(_stints(session, select(StintRow).where(StintRow.id == stint_id))), None)
    if found is not None:
        session.delete(session.get_one(StintRow, stint_id))
        session.flush()
    return found


def list_stints(session: Session, *, table_id: str | None, from_at: datetime, to_at: datetime) -> list[Stint]:
    """The lines that overlap a span, of one table or of all, in order of time."""
    wanted = select(StintRow).where(StintRow.to_at > from_at, StintRow.from_at < to_at)
    if table_id is not None:
        wanted = wanted.where(StintRow.table_id == table_id)
    return _stints(session, wanted.order_by(StintRow.from_at, StintRow.table_id))


def who_deals(session: Session, table_id: str, at: datetime, changes: Sequence[Change]) -> str | None:
    """Who dealt what ended or was found at a given time; None where unknown.

    Args:
        session: Of the database.
        table_id: The table.
        at: The time.
        changes: The changes of dealer in the table's log, in order of time.
    """
    stints = list_stints(session, table_id=table_id, from_at=at - LONGEST, to_at=at + LONGEST)
    return dealer_before(stints, at, changes)


def dealer_before(stints: Iterable[Stint], at: datetime, changes: Sequence[Change]) -> str | None:
    """Who dealt just before a time, as `dealer_at`: whoever came at the end of a round did not deal it."""
    return dealer_at(stints, at - JUST_BEFORE, changes)


def dealer_at(stints: Iterable[Stint], at: datetime, changes: Sequence[Change]) -> str | None:
    """Who dealt at a given time, by the roster lines of one table and the dealer changes of its log; None where
    unknown.

    Several changes may have the same time, where they were reported too late. After it the last one rules; at that
    very time nobody knows which.
    """
    lines = [one for one in stints if one.from_at <= at < one.to_at]
    ruling = [one for one in lines if one.is_ruling]
    if ruling:
        return ruling[-1].dealer
    since = max((when for when, _ in changes if when <= at), default=None)
    planned = [one for one in lines if since is None or one.from_at > since]
    if planned:
        return planned[-1].dealer
    reported = [dealer for when, dealer in changes if when == since]
    is_open = since == at and len(set(reported)) > 1
    return reported[-1] if reported and not is_open else None


def _row(session: Session, who: str, fields: StintFields, now: datetime) -> StintRow:
    length = fields.to_at - fields.from_at
    if not timedelta(0) < length <= LONGEST:
        hours = LONGEST.total_seconds() / 3600
        span = f"{fields.from_at:%Y-%m-%d %H:%M} to {fields.to_at:%Y-%m-%d %H:%M} UTC"
        hint = "; past midnight it has the next day's date" if length <= timedelta(0) else ""
        raise DealerError("to", f"to: {span}; must be after from, and no more than {hours:g} hours after it{hint}")
    dealer = None if fields.dealer is None else find_dealer(session, fields.dealer)
    if fields.dealer is not None and dealer is None:
        raise DealerError("dealer", f"dealer = {fields.dealer}; nobody in the register has that name, number or badge")
    overlapping = select(StintRow).where(
        StintRow.table_id == fields.table_id,
        StintRow.is_ruling == fields.is_ruling,
        StintRow.to_at > fields.from_at,
        StintRow.from_at < fields.to_at,
    )
    other = next(iter(_stints(session, overlapping.limit(1))), None)
    if other is not None:
        span = f"{other.from_at:%Y-%m-%d %H:%M} to {other.to_at:%H:%M} UTC"
        raise DealerError("from", f"from: {other.dealer or 'a break'} is entered at {fields.table_id} from {span}")
    return StintRow(
        table_id=fields.table_id,
        from_at=fields.from_at,
        to_at=fields.to_at,
        dealer_id=None if dealer is None else dealer.id,
        is_ruling=fields.is_ruling,
        entered_by=who,
        entered_at=now,
    )


def _stints(session: Session, wanted: Select[Any]) -> list[Stint]:
    rows = session.scalars(wanted).all()
    ids = {row.dealer_id for row in rows if row.dealer_id is not None}
    names = {row.id: row.name for row in session.scalars(select(DealerRow).where(DealerRow.id.in_(ids)))}
    return [
        Stint(
            id=row.id,
            table_id=row.table_id,
            from_at=row.from_at,
            to_at=row.to_at,
            dealer=None if row.dealer_id is None else names[row.dealer_id],
            is_ruling=row.is_ruling,
            entered_by=row.entered_by,
        )
        for row in rows
    ]
