"""Write down what a table's watch finds, so that what was written once is never lost.

Log lines, alerts and rounds that become known together are committed together. Stream time `t` counts from the log's
beginning; `at` is its moment in UTC.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from rules.alerts import Alert, format_alert
from rules.events import DealerChanged, Event, RoundClosed, format_event, parse_event
from rules.records import RoundRecord, format_round
from service.evidence import shows_a_stack
from service.search.index import enter_round, enter_round_of_alert
from service.store import chain
from service.store.database import Database
from service.store.order import take_turn
from service.store.schema import AlertRow, ChainLine, EvidenceRow, LogRow, RoundRow

LOG_HOURS = 24
"""A log that is older is not gone on with: the process begins another."""
OPEN = "open"
LEAD = timedelta(seconds=8)
TAIL = timedelta(seconds=6)
LONGEST = timedelta(seconds=45)
SHOWN = ("clip", "still")
CHANGED = ("before", "after")
"""Of a stack that changed."""


def log_chain(table_id: str) -> str:
    """The chain that holds a table's log lines."""
    return f"log/{table_id}"


def alert_chain(table_id: str) -> str:
    """The chain that holds a table's alerts as they were raised."""
    return f"alerts/{table_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What was found since the last entry."""

    events: Sequence[Event] = ()
    alerts: Sequence[Alert] = ()
    rounds: Sequence[RoundRecord] = ()

    def __bool__(self) -> bool:
        return bool(self.events or self.alerts or self.rounds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An alert that was entered, and what pictures of it are promised."""

    alert_id: int
    at: datetime
    from_at: datetime
    to_at: datetime


Note = Callable[[Session], None]


def nothing_else(_session: Session) -> None:
    """Where nothing else belongs into the transaction."""


class Journal:
    """One table's entries; one process writes them."""

    def __init__(self, database: Database, table_id: str, rules: Mapping[str, object]) -> None:
        self._database, self._table_id = database, table_id
        self._rules = chain.canonical(rules)
        self._log_id = 0
        self._began_at: datetime | None = None
        self._next_line = 1
        self._round_line = 1
        self._dealer: str | None = None

    @property
    def began_at(self) -> datetime:
        """The moment of t = 0."""
        assert self._began_at is not None, "open() comes first"
        return self._began_at

    def open(self, now: datetime) -> list[Event]:
        """Go on with the table's log, or begin one where there is none, it is old, or other rules hold now.

        Returns:
            What the log holds so far.
        """
        with self._database.writing() as session:
            log = self._last_log(session)
            if log is None or log.rules != self._rules or now - log.began_at > timedelta(hours=LOG_HOURS):
                log = self._begin(session, now)
            lines = list(chain.read(session, log_chain(self._table_id), first=log.first_line))
            self._log_id, self._began_at = log.id, log.began_at
            self._next_line = log.first_line + len(lines)
            return self._resume([parse_event(json.loads(line.body)) for line in lines], log.first_line)

    @property
    def dealer(self) -> str | None:
        """Who deals."""
        return self._dealer

    def at(self, t: float) -> datetime:
        """The moment of a stream time."""
        return self.began_at + timedelta(seconds=t)

    def write(self, news: News, now: datetime, note: Note = nothing_else) -> list[Entry]:
        """Enter what is new; it is on the disk when this returns.

        Args:
            news: What was found.
            now: The moment.
            note: What else belongs into the same transaction.

        Returns:
            The new alerts.
        """
        with self._database.writing() as session:
            self._write_lines(session, news.events, now)
            for record in news.rounds:
                self._write_round(session, record)
            note(session)
            if news.alerts:
                take_turn(session)
            return [self._write_alert(session, alert, now) for alert in news.alerts]

    def _last_log(self, session: Session) -> LogRow | None:
        wanted = select(LogRow).where(LogRow.table_id == self._table_id).order_by(LogRow.id.desc()).limit(1)
        return session.scalar(wanted)

    def _begin(self, session: Session, now: datetime) -> LogRow:
        last = session.scalar(
            select(ChainLine.seq)
            .where(ChainLine.chain == log_chain(self._table_id))
            .order_by(ChainLine.seq.desc())
            .limit(1)
        )
        log = LogRow(table_id=self._table_id, began_at=now, rules=self._rules, first_line=(last or 0) + 1)
        session.add(log)
        session.flush()
        return log

    def _resume(self, events: list[Event], first_line: int) -> list[Event]:
        self._round_line, self._dealer = first_line, None
        for line, event in enumerate(events, first_line):
            self._follow(event)
            if isinstance(event, RoundClosed):
                self._round_line = line + 1
        return events

    def _follow(self, event: Event) -> None:
        if isinstance(event, DealerChanged):
            self._dealer = event.dealer

    def _write_lines(self, session: Session, events: Iterable[Event], now: datetime) -> None:
        bodies = [{**format_event(event), "at": _rfc3339(self.at(event.t))} for event in events]
        if not bodies:
            return
        chain.append(session, log_chain(self._table_id), bodies, at=now)
        for event in events:
            self._follow(event)
            self._next_line += 1

    def _write_round(self, session: Session, record: RoundRecord) -> None:
        row = RoundRow(
            table_id=self._table_id,
            log_id=self._log_id,
            number=record.round,
            dealer=self._dealer,
            opened_at=self.at(record.opened),
            closed_at=self.at(record.opened if record.closed is None else record.closed),
            first_line=self._round_line,
            last_line=self._next_line - 1,
            body=chain.canonical(format_round(record)),
        )
        self._round_line = self._next_line
        session.add(row)
        session.flush()
        enter_round(session, row)

    def _write_alert(self, session: Session, alert: Alert, now: datetime) -> Entry:
        body, at = format_alert(alert), self.at(alert.t)
        row = AlertRow(
            table_id=self._table_id,
            log_id=self._log_id,
            round=alert.round,
            code=alert.code,
            severity=str(alert.severity),
            state=OPEN,
            dealer=self._dealer,
            at=at,
            noticed_at=now,
            body=chain.canonical(body),
        )
        session.add(row)
        session.flush()
        enter_round_of_alert(session, row)
        chain.append(session, alert_chain(self._table_id), [{"alert": row.id, "body": body}], at=now)
        to_at = min(max(at + TAIL, now + timedelta(seconds=1)), at - LEAD + LONGEST)
        session.add_all(
            EvidenceRow(alert_id=row.id, kind=kind, state="promised", from_at=at - LEAD, to_at=to_at)
            for kind in (*SHOWN, *(CHANGED if alert.area is not None and shows_a_stack(alert) else ()))
        )
        return Entry(alert_id=row.id, at=at, from_at=at - LEAD, to_at=to_at)


def _rfc3339(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
