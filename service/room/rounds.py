"""Find rounds: a list, newest first, and one round with its log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.live.journal import log_chain
from service.room.alerts import may_see
from service.room.cursors import format_cursor, parse_cursor
from service.room.views import LineView, Page, RoundView, line_views, round_view
from service.store import chain
from service.store.people import Person
from service.store.schema import ChainHead, LogRow, RoundRow

LIST = "rounds"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundWish:
    """Which rounds are wanted; None: all."""

    table: str | None = None
    dealer: str | None = None
    from_at: datetime | None = None
    to_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundStory:
    """A round and its log."""

    round: RoundView
    log: Sequence[LineView]


def list_rounds(
    session: Session, person: Person, wish: RoundWish, *, limit: int, cursor: str | None = None
) -> Page[RoundView]:
    """The newest rounds that fit and that the person may see.

    Raises:
        CursorError: The cursor is none of this list's.
    """
    below = parse_cursor(LIST, cursor)
    query = select(RoundRow).where(*may_see(person, RoundRow.table_id))
    query = query if below is None else query.where(RoundRow.id < below)
    query = query if wish.table is None else query.where(RoundRow.table_id == wish.table)
    query = query if wish.dealer is None else query.where(RoundRow.dealer == wish.dealer)
    query = query if wish.from_at is None else query.where(RoundRow.closed_at >= wish.from_at)
    query = query if wish.to_at is None else query.where(RoundRow.closed_at < wish.to_at)
    rows = session.scalars(query.order_by(RoundRow.id.desc()).limit(limit + 1)).all()
    more = format_cursor(LIST, rows[limit - 1].id) if len(rows) > limit else None
    return Page(items=[round_view(row) for row in rows[:limit]], next=more)


def tell_round(session: Session, person: Person, round_id: int) -> RoundStory | None:
    """One round with its log; None where there is none or the person may not see it."""
    row = session.get(RoundRow, round_id)
    if row is None or not person.may_see(row.table_id):
        return None
    lines = chain.read(session, log_chain(row.table_id), first=row.first_line, last=row.last_line)
    return RoundStory(round=round_view(row), log=line_views(lines))


def last_lines(session: Session, table_id: str, *, most: int) -> list[LineView]:
    """The newest lines of a table's current log, in order of time."""
    name = log_chain(table_id)
    log = session.scalar(select(LogRow).where(LogRow.table_id == table_id).order_by(LogRow.id.desc()).limit(1))
    head = session.get(ChainHead, name)
    if log is None or head is None:
        return []
    first = max(log.first_line, head.seq - most + 1)
    return line_views(chain.read(session, name, first=first, last=head.seq))
