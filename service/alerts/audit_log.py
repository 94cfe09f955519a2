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
    """One recorded act."""

    seq: int
    at: datetime
    who: str
    action: str
    target: str | None
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ActWish:
    """A filter for acts; None and empty match all."""

    who: str | None = None
    """Who did it; `token:shoe-7` for a program."""
    action: str | None = None
    """`alert.confirmed`, or the part before its dot."""
    text: str | None = None
    """Words that must all occur in the act, in any case."""
    from_at: datetime | None = None
    to_at: datetime | None = None

    def fits(self, act: ActView) -> bool:
        """Whether the act matches, apart from its time."""
        if self.who is not None and act.who != self.who:
            return False
        if self.action is not None and self.action not in (act.action, act.action.partition(".")[0]):
            return False
        return not self.text or _has_words(act, self.text)


def _has_words(act: ActView, text: str) -> bool:
    told = " ".join((act.who, act.action, act.target or "", json.dumps(act.details, ensure_ascii=False))).casefold()
    return all(word in told for word in text.casefold().split())


EVERY_ACT = ActWish()


def list_acts(
    session: Session, person: Person, wish: ActWish = EVERY_ACT, *, limit: int, cursor: str | None = None
) -> Page[ActView]:
    """The newest acts that match; a person limited to some tables sees their own acts and those on these tables.

    Raises:
        CursorError: The cursor is not from this list.
    """
    sight, acts = _Sight(session, person), []
    for line in _newest(session, wish, below=parse_cursor(AUDIT, cursor), at_once=limit + 1):
        act = _view(line)
        if wish.fits(act) and sight.includes(act):
            acts.append(act)
        if len(acts) > limit:
            break
    more = format_cursor(AUDIT, acts[limit - 1].seq) if len(acts) > limit else None
    return Page(items=acts[:limit], next=more)


def _newest(session: Session, wish: ActWish, *, below: int | None, at_once: int) -> Iterator[ChainLine]:
    """The lines of that time, newest first, read in growing batches of at least `at_once`."""
    times = [] if wish.from_at is None else [ChainLine.at >= wish.from_at]
    times += [] if wish.to_at is None else [ChainLine.at < wish.to_at]
    while True:
        query = select(ChainLine).where(ChainLine.chain == AUDIT, *times)
        query = query if below is None else query.where(ChainLine.seq < below)
        lines = session.scalars(query.order_by(ChainLine.seq.desc()).limit(at_once)).all()
        yield from lines
        if len(lines) < at_once:
            return
        below, at_once = lines[-1].seq, READ_AT_ONCE


class _Sight:
    """The acts that one person may see."""

    def __init__(self, session: Session, person: Person) -> None:
        self._session, self._person = session, person
        self._known: dict[str | None, bool] = {None: False}

    def includes(self, act: ActView) -> bool:
        """Whether the act is the person's own, or concerns something they may see."""
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
