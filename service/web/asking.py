"""Turn a request for rounds into a search: typed into one box, or chosen field by field, or both."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.service.alerts.room import Room
from thirdcard.service.rounds.search.days import DayStretch
from thirdcard.service.rounds.search.fields import FIELDS, SearchError
from thirdcard.service.rounds.search.find import RoundWish
from thirdcard.service.rounds.search.grammar import Understood, understand, understand_fields
from thirdcard.service.store.people import Person
from thirdcard.service.store.schema import LogRow
from thirdcard.service.web.requests import RoundQuery


def wish_of(understood: Understood) -> RoundWish:
    """The search for parsed conditions."""
    return RoundWish(
        clauses=[clause.terms for clause in understood.clauses],
        from_at=understood.stretch.begins,
        to_at=understood.stretch.ends,
    )


def read_request(query: RoundQuery, *, now: datetime, zone: str, tables: list[str]) -> Understood:
    """Parse a program's search; what is not understood is refused.

    Raises:
        SearchError: A field's value is not allowed, or a word of `q` is not understood.
    """
    said = query.model_dump(include=set(FIELDS), exclude_none=True)
    said |= {"is": query.is_}
    values = {name: [value] if isinstance(value, str) else [str(one) for one in value] for name, value in said.items()}
    fields = understand_fields(
        {name: found for name, found in values.items() if found}, DayStretch(begins=query.from_, ends=query.to)
    )
    if query.q is None:
        return fields
    typed = understand(query.q, now.astimezone(ZoneInfo(zone)), tables)
    if typed.unknown:
        raise SearchError(f"q: not understood: {', '.join(typed.unknown)}", field="q")
    return Understood(
        clauses=(*fields.clauses, *typed.clauses),
        stretch=DayStretch(begins=query.from_ or typed.stretch.begins, ends=query.to or typed.stretch.ends),
        words=(*fields.words, *typed.words),
        unknown=(),
        values={**typed.values, **fields.values},
    )


def known_tables(session: Session, person: Person) -> list[str]:
    """The tables that have a log and that the person may see."""
    names = session.scalars(select(LogRow.table_id).distinct().order_by(LogRow.table_id)).all()
    return [name for name in names if person.may_see(name)]


def all_tables(room: Room, person: Person) -> list[str]:
    """Every table that the person may see: watched tables, and tables with only a log."""
    with room.database.reading() as session:
        known = known_tables(session, person)
    watched = [state.table_id for state in room.live.states() if person.may_see(state.table_id)]
    return sorted({*known, *watched})
