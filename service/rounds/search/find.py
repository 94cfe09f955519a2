"""Find the rounds that match a search, newest first, with a bounded amount of work per call.

The condition with the fewest hits is read along its own index, by time, and the other conditions are checked for each
round found. Where all conditions are common, all rounds are read instead: hits come soon. Either way at most
`MOST_WALKED` rounds are examined per call; beyond that the caller gets a cursor to continue, even with no hit so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Select, and_, func, literal, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from thirdcard.service.alerts.cursors import CursorError, format_cursor, parse_cursor
from thirdcard.service.alerts.views import Page, RoundView, round_view
from thirdcard.service.store.people import Person
from thirdcard.service.store.round_schema import RoundTerm
from thirdcard.service.store.schema import RoundRow

LIST = "rounds"
COMMON = 30_000
"""A condition that this many rounds meet is common."""
MOST_WALKED = 30_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundWish:
    """The rounds that are searched for."""

    clauses: Sequence[Sequence[str]] = ()
    """A round must have at least one term of each clause."""
    from_at: datetime | None = None
    to_at: datetime | None = None
    """Rounds that closed before this time (exclusive)."""


@dataclass(frozen=True, slots=True)
class _Place:
    at: datetime
    round_id: int


@dataclass(frozen=True, slots=True)
class _Walk:
    """The rows that are read, newest first: closing time and round id."""

    at: InstrumentedAttribute[datetime]
    round_id: InstrumentedAttribute[int]
    terms: Sequence[str] | None
    """The terms of the condition that is read; None for all rounds."""

    def within(self, wish: RoundWish, below: _Place | None) -> Select[datetime, int]:
        """The rows in the wanted span of time, below a place."""
        query = select(self.at.label("at"), self.round_id.label("round_id"))
        query = query if self.terms is None else query.where(_has(RoundTerm.term, self.terms))
        query = query if wish.from_at is None else query.where(self.at >= wish.from_at)
        query = query if wish.to_at is None else query.where(self.at < wish.to_at)
        if below is not None:
            is_older = or_(self.at < below.at, and_(self.at == below.at, self.round_id < below.round_id))
            query = query.where(self.at <= below.at, is_older)
        if self.terms is not None and len(self.terms) > 1:
            query = query.distinct()
        return query.order_by(self.at.desc(), self.round_id.desc()).limit(MOST_WALKED)


def find_rounds(
    session: Session, person: Person, wish: RoundWish, *, limit: int, cursor: str | None = None
) -> Page[RoundView]:
    """The newest rounds that match and that the person may see; `next` can be set even if none was found so far.

    Raises:
        CursorError: The cursor is not from this list.
    """
    below = _place(session, cursor)
    own = [] if person.tables is None else [[f"table:{name}".casefold() for name in sorted(person.tables)]]
    clauses = [list(clause) for clause in (*wish.clauses, *own)]
    walk, others = _choose(session, wish, clauses)
    walked = walk.within(wish, below).subquery()
    hits = select(walked.c.at, walked.c.round_id).where(*(_is_met(clause, walked.c) for clause in others))
    order = (walked.c.at.desc(), walked.c.round_id.desc())
    found = session.execute(hits.order_by(*order).limit(limit + 1)).all()
    if len(found) > limit:
        more: int | None = found[limit - 1].round_id
    else:
        reached = select(walked.c.round_id).order_by(*order).offset(MOST_WALKED - 1).limit(1)
        more = session.scalar(reached)
    numbers = [row.round_id for row in found[:limit]]
    rows = {row.id: row for row in session.scalars(select(RoundRow).where(RoundRow.id.in_(numbers)))}
    items = [round_view(rows[number]) for number in numbers]
    return Page(items=items, next=None if more is None else format_cursor(LIST, more))


def _place(session: Session, cursor: str | None) -> _Place | None:
    number = parse_cursor(LIST, cursor)
    if number is None:
        return None
    row = session.get(RoundRow, number)
    if row is None:
        raise CursorError("cursor is none that this list gave; leave it out to begin with the newest")
    return _Place(row.closed_at, row.id)


def _choose(session: Session, wish: RoundWish, clauses: list[list[str]]) -> tuple[_Walk, list[list[str]]]:
    """The condition to read along, and the other conditions to check."""
    sizes = [(_size(session, wish, clause), i) for i, clause in enumerate(clauses)]
    size, rarest = min(sizes, default=(COMMON, 0))
    if size >= COMMON:
        single = next((i for i, clause in enumerate(clauses) if len(clause) == 1), None)
        if single is None:
            return _Walk(RoundRow.closed_at, RoundRow.id, None), clauses
        rarest = single
    others = [clause for i, clause in enumerate(clauses) if i != rarest]
    return _Walk(RoundTerm.at, RoundTerm.round_id, clauses[rarest]), others


def _size(session: Session, wish: RoundWish, clause: Sequence[str]) -> int:
    """The number of rounds that meet a condition in the wanted span, counted up to `COMMON`."""
    query = select(literal(1).label("one")).where(_has(RoundTerm.term, clause))
    query = query if wish.from_at is None else query.where(RoundTerm.at >= wish.from_at)
    query = query if wish.to_at is None else query.where(RoundTerm.at < wish.to_at)
    return session.scalar(select(func.count()).select_from(query.limit(COMMON).subquery())) or 0


def _is_met(clause: Sequence[str], walked: object) -> ColumnElement[bool]:
    at, round_id = walked.at, walked.round_id  # type: ignore[attr-defined]
    met = select(literal(1)).where(_has(RoundTerm.term, clause), RoundTerm.at == at, RoundTerm.round_id == round_id)
    return met.exists()


def _has(column: InstrumentedAttribute[str], terms: Sequence[str]) -> ColumnElement[bool]:
    return column == terms[0] if len(terms) == 1 else column.in_(terms)
