"""Read the audit chain, newest first."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.service.alerts.cases import may_see_case
from thirdcard.service.alerts.cursors import format_cursor, parse_cursor
from thirdcard.service.alerts.views import Page
from thirdcard.service.store.audit import AUDIT
from thirdcard.service.store.people import Person
from thirdcard.service.store.schema import AlertRow, ChainLine, RoundRow

READ_AT_ONCE = 1000
_OF_TABLES: Mapping[str, type[AlertRow] | type[RoundRow]] = {"alert": AlertRow, "round": RoundRow}


@dataclass(frozen=True, slots=True, kw_only=True)
class ActView:
    """One act."""

    seq: int
    at: datetime
    who: str
    action: str
    target: str | None
    details: Mapping[str, Any]


def list_acts(session: Session, person: Person, *, limit: int, cursor: str | None = None) -> Page[ActView]:
    """The newest acts; who is kept to some tables sees his own and those that concern what he may see.

    Raises:
        CursorError: The cursor is none of this list's.
    """
    sight, acts = _Sight(session, person), []
    for line in _newest(session, below=parse_cursor(AUDIT, cursor), at_once=limit + 1):
        act = _view(line)
        if sight.includes(act):
            acts.append(act)
        if len(acts) > limit:
            break
    more = format_cursor(AUDIT, acts[limit - 1].seq) if len(acts) > limit else None
    return Page(items=acts[:limit], next=more)


def _newest(session: Session, *, below: int | None, at_once: int) -> Iterator[ChainLine]:
    """The lines from the newest on, so many read at once."""
    while True:
        query = select(ChainLine).where(ChainLine.chain == AUDIT)
        query = query if below is None else query.where(ChainLine.seq < below)
        lines = session.scalars(query.order_by(ChainLine.seq.desc()).limit(at_once)).all()
        yield from lines
        if len(lines) < at_once:
            return
        below, at_once = lines[-1].seq, READ_AT_ONCE


class _Sight:
    """What one person may see of the audit."""

    def __init__(self, session: Session, person: Person) -> None:
        self._session, self._person = session, person
        self._known: dict[str | None, bool] = {None: False}

    def includes(self, act: ActView) -> bool:
        """Whether the act is his, or was done to what he may see."""
        if self._person.tables is None or act.who == self._person.name:
            return True
        if act.target not in self._known:
            self._known[act.target] = self._may_see(*str(act.target).split(":", 1))
        return self._known[act.target]

    def _may_see(self, kind: str, name: str = "") -> bool:
        if kind == "table":
            return self._person.may_see(name)
        if not name.isdecimal():
            return False
        if kind == "case":
            return may_see_case(self._session, self._person, int(name))
        if kind not in _OF_TABLES:
            return False
        table = _OF_TABLES[kind]
        table_id = self._session.scalar(select(table.table_id).where(table.id == int(name)))
        return table_id is not None and self._person.may_see(table_id)


def _view(line: ChainLine) -> ActView:
    body = json.loads(line.body)
    return ActView(
        seq=line.seq,
        at=line.at,
        who=body["who"],
        action=body["action"],
        target=body["target"],
        details=body.get("details", {}),
    )
