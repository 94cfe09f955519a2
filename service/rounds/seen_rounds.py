"""Read a round with its log lines, and the last lines of a log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.service.alerts.views import LineView, RoundView, line_views, round_view
from thirdcard.service.store import chain
from thirdcard.service.store.log_chains import LIVE, chain_of, log_chain
from thirdcard.service.store.people import Person
from thirdcard.service.store.schema import ChainHead, LogRow, RoundRow


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundStory:
    """A round and its log lines."""

    round: RoundView
    log: Sequence[LineView]


def tell_round(session: Session, person: Person, round_id: int) -> RoundStory | None:
    """A round with its log lines; None where there is none or the person may not see it."""
    row = session.get(RoundRow, round_id)
    if row is None or not person.may_see(row.table_id):
        return None
    lines = chain.read(session, chain_of(session, row), first=row.first_line, last=row.last_line)
    return RoundStory(round=round_view(row), log=line_views(lines))


def last_lines(session: Session, table_id: str, *, most: int) -> list[LineView]:
    """The newest lines of a table's current log, oldest first."""
    name = log_chain(table_id)
    log = session.scalar(
        select(LogRow).where(LogRow.table_id == table_id, LogRow.origin == LIVE).order_by(LogRow.id.desc()).limit(1)
    )
    head = session.get(ChainHead, name)
    if log is None or head is None:
        return []
    first = max(log.first_line, head.seq - most + 1)
    return line_views(chain.read(session, name, first=first, last=head.seq))
