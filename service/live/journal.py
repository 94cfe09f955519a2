"""Store a table's findings durably.

Log lines, alerts and rounds that become known together are committed together. Stream time `t` counts from the log's
beginning; `at` is the time in UTC.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from thirdcard.rules.findings.alerts import Alert, format_alert
from thirdcard.rules.log.events import DealerChanged, Event, RoundClosed, format_event, parse_event
from thirdcard.rules.round.records import RoundRecord, format_round
from thirdcard.service.dealers.register import registered_name
from thirdcard.service.dealers.roster import LONGEST, Change, Stint, dealer_at, dealer_before, list_stints
from thirdcard.service.media.alert_media import shows_a_stack
from thirdcard.service.media.clip_span import LIVE_CLIP
from thirdcard.service.ports.moments import format_moment
from thirdcard.service.rounds.search.index import enter_round, enter_round_of_alert
from thirdcard.service.store import chain
from thirdcard.service.store.alert_writer import AlertEvidence, RaisedAlert, write_alert
from thirdcard.service.store.database import Database
from thirdcard.service.store.doubtful import LogPlace, withdraw, write_doubtful
from thirdcard.service.store.log_chains import LIVE, log_chain
from thirdcard.service.store.order import take_turn
from thirdcard.service.store.schema import AlertRow, ChainHead, ChainLine, EvidenceRow, LogRow, RoundRow

LOG_HOURS = 24
ROSTER_EVERY = timedelta(seconds=5)
"""The delay after which a page shows changes of the roster."""
"""An older log is not continued: the process begins another."""
DEALERS_KEPT = 50
"""The number of recent dealers to whom an alert can be attributed."""
SHOWN = ("clip", "still", "overlay")
CHANGED = ("before", "after")
"""Pictures of a stack that changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What was found since the last entry."""

    events: Sequence[Event] = ()
    alerts: Sequence[Alert] = ()
    rounds: Sequence[RoundRecord] = ()
    withdrawn: Sequence[Alert] = ()
    doubtful: Sequence[Alert] = ()

    def __bool__(self) -> bool:
        return bool(self.events or self.alerts or self.rounds or self.withdrawn or self.doubtful)


@dataclass(frozen=True, slots=True, kw_only=True)
class EnteredAlert:
    """A stored alert, and the evidence promised for it."""

    alert_id: int
    at: datetime
    from_at: datetime
    to_at: datetime
    kind: str = "clip"
    """The kind of file that is cut."""


Note = Callable[[Session], None]
DealerAt = Callable[[float], str | None]
"""The dealer at a stream time."""


def nothing_else(_session: Session) -> None:
    """Add nothing to the transaction."""


@dataclass(frozen=True, slots=True)
class JournalPlace:
    """The progress of writing a log."""

    next_line: int = 1
    round_line: int = 1
    """The first line of the running round."""
    dealers: tuple[tuple[float, str | None], ...] = ()
    """The last dealers, and since when, in stream time."""

    def after(self, news: News) -> JournalPlace:
        """The place after these findings are written."""
        came = [(event.t, event.dealer) for event in news.events if isinstance(event, DealerChanged)]
        next_line = self.next_line + len(news.events)
        return JournalPlace(
            next_line, next_line if news.rounds else self.round_line, (*self.dealers, *came)[-DEALERS_KEPT:]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _KnownDealers:
    """What the database said of a table's dealers."""

    read_at: datetime | None = None
    reports: tuple[tuple[float, str | None], ...] = ()
    """As in the journal's place."""
    changes: Sequence[Change] = ()
    """The reports, with the names that the register had."""
    stints: Sequence[Stint] = ()


class Journal:
    """The stored findings of one table; only one process writes them.

    If a database fails during a commit it is unknown whether the entry was stored: that is checked before it is written
    again.
    """

    def __init__(self, database: Database, table_id: str, rules: Mapping[str, object]) -> None:
        self._database, self._table_id = database, table_id
        self._rules = chain.canonical(rules)
        self._log_id = 0
        self._last_alert_before = 0
        self._began_at: datetime | None = None
        self._last_round_told = 0
        self._place = JournalPlace()
        self._known = _KnownDealers()
        self._is_unsure = False

    @property
    def began_at(self) -> datetime:
        """The time of t = 0."""
        assert self._began_at is not None, "open() comes first"
        return self._began_at

    def open(self, now: datetime) -> list[Event]:
        """Continue the table's log, or begin one where there is none, it is too old, or the rules changed.

        Returns:
            The events of the log so far.
        """
        first_line = self._database.write(partial(self._open, now=now))
        with self._database.reading() as session:
            self._last_alert_before = session.scalar(select(func.max(AlertRow.id))) or 0
            told = select(func.max(AlertRow.round)).where(AlertRow.log_id == self._log_id)
            self._last_round_told = session.scalar(told) or 0
            bodies = [line.body for line in chain.read(session, log_chain(self._table_id), first=first_line)]
        events = [parse_event(json.loads(body)) for body in bodies]
        self._place = _place_of(events, first_line)
        return events

    def _open(self, session: Session, now: datetime) -> int:
        """Find or begin the log; returns the number of its first line."""
        log = self._last_log(session)
        if log is None or log.rules != self._rules or now - log.began_at > timedelta(hours=LOG_HOURS):
            log = self._begin(session, now)
        self._log_id, self._began_at = log.id, log.began_at
        return log.first_line

    def dealer(self, now: datetime) -> str | None:
        """The present dealer, by the table's reports and by the roster of a few seconds ago."""
        known = self._known
        if known.read_at is None or now - known.read_at >= ROSTER_EVERY or known.reports != self._place.dealers:
            with self._database.reading() as session:
                self._known = _KnownDealers(
                    read_at=now,
                    reports=self._place.dealers,
                    changes=self._changes(session, self._place),
                    stints=list_stints(session, table_id=self._table_id, from_at=now - LONGEST, to_at=now + LONGEST),
                )
        return dealer_at(self._known.stints, now, self._known.changes)

    def at(self, t: float) -> datetime:
        """The UTC time of a stream time."""
        return self.began_at + timedelta(seconds=t)

    def write(self, news: News, now: datetime, note: Note = nothing_else) -> list[EnteredAlert]:
        """Store new findings; they are on disk when this returns.

        Args:
            news: What was found.
            now: The time.
            note: Adds to the same transaction; must be harmless if repeated.

        Returns:
            The new alerts.
        """
        place = self._place.after(news)
        was_unsure, self._is_unsure = self._is_unsure, True

        def enter(session: Session) -> list[EnteredAlert]:
            if was_unsure and self._stands(session, news, place):
                rows = [self._row_of(session, alert) for alert in news.alerts]
                entries = [self._entry_of(session, row) for row in rows if row is not None]
            else:
                entries = self._enter(session, news, place, now)
            note(session)
            return entries

        entries = self._database.write(enter)
        self._place, self._is_unsure = place, False
        return entries

    def _enter(self, session: Session, news: News, place: JournalPlace, now: datetime) -> list[EnteredAlert]:
        bodies = [{**format_event(event), "at": format_moment(self.at(event.t))} for event in news.events]
        if bodies:
            chain.append(session, log_chain(self._table_id), bodies, at=now)
        dealer_at_t = self._dealers(session, news, place)
        rounds = []
        for number, record in enumerate(news.rounds):
            first_line = self._place.round_line if number == 0 else place.next_line
            rounds.append(self._write_round(session, record, (first_line, place.next_line - 1), dealer_at_t))
        if news.alerts:
            take_turn(session)
        fresh = [alert for alert in news.alerts if not self._was_told(session, alert)]
        rows = [self._write_alert(session, alert, now, dealer_at_t(alert.t)) for alert in fresh]
        _index(session, rounds, rows)
        self._enter_doubts(session, news, dealer_at_t, now)
        return [_entered(row, LIVE_CLIP.around(row.at, noticed_at=now)) for row in rows]

    def _enter_doubts(self, session: Session, news: News, dealer_at_t: DealerAt, now: datetime) -> None:
        """Store withdrawn alerts and doubtful findings."""
        here = LogPlace(table_id=self._table_id, log_id=self._log_id, began_at=self.began_at)
        for alert in news.doubtful:
            write_doubtful(session, replace(here, dealer=dealer_at_t(alert.t)), [format_alert(alert)])
        withdraw(session, here, map(format_alert, news.withdrawn), now=now)

    def _stands(self, session: Session, news: News, place: JournalPlace) -> bool:
        """Whether these findings were committed although the commit was not confirmed."""
        if news.events:
            head = session.get(ChainHead, log_chain(self._table_id))
            return head is not None and head.seq >= place.next_line - 1
        return any(self._row_of(session, alert) is not None for alert in news.alerts)

    def _row_of(self, session: Session, alert: Alert) -> AlertRow | None:
        same = (AlertRow.log_id == self._log_id, AlertRow.body == chain.canonical(format_alert(alert)))
        return session.scalar(select(AlertRow).where(*same).order_by(AlertRow.id.desc()).limit(1))

    def _was_told(self, session: Session, alert: Alert) -> bool:
        """Whether the previous process reported it.

        A watch that is stopped judges at once what it would have waited for; the next one reaches the same result
        later.
        """
        if alert.round > self._last_round_told:
            return False
        near = (AlertRow.log_id == self._log_id, AlertRow.round == alert.round, AlertRow.code == alert.code)
        before = select(AlertRow.body).where(*near, AlertRow.id <= self._last_alert_before)
        bodies = map(json.loads, session.scalars(before))
        timeless = format_alert(alert) | {"noticed_at": None}
        return any(body | {"noticed_at": None} == timeless for body in bodies)

    def _entry_of(self, session: Session, row: AlertRow) -> EnteredAlert:
        piece = session.scalars(select(EvidenceRow).where(EvidenceRow.alert_id == row.id)).first()
        assert piece is not None, "each alert promises a clip"
        return _entered(row, (piece.from_at, piece.to_at))

    def _last_log(self, session: Session) -> LogRow | None:
        wanted = select(LogRow).where(LogRow.table_id == self._table_id, LogRow.origin == LIVE)
        wanted = wanted.order_by(LogRow.id.desc()).limit(1)
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

    def _dealers(self, session: Session, news: News, place: JournalPlace) -> DealerAt:
        """Who dealt until a stream time of these findings, by the table's reports and by the roster."""
        times = [_closed_t(record) for record in news.rounds]
        times += [alert.t for alert in (*news.alerts, *news.doubtful)]
        stints: list[Stint] = []
        changes: list[Change] = []
        if times:
            from_at, to_at = self.at(min(times)) - LONGEST, self.at(max(times)) + LONGEST
            stints = list_stints(session, table_id=self._table_id, from_at=from_at, to_at=to_at)
            changes = self._changes(session, place)
        return lambda t: dealer_before(stints, self.at(t), changes)

    def _changes(self, session: Session, place: JournalPlace) -> list[Change]:
        """The last changes, with the names that the register has now."""
        names = {dealer: registered_name(session, dealer) for _, dealer in place.dealers if dealer is not None}
        return [(self.at(since_t), dealer and names[dealer]) for since_t, dealer in place.dealers]

    def _write_round(
        self, session: Session, record: RoundRecord, lines: tuple[int, int], dealer_at_t: DealerAt
    ) -> RoundRow:
        closed_t = _closed_t(record)
        row = RoundRow(
            table_id=self._table_id,
            log_id=self._log_id,
            number=record.round,
            dealer=dealer_at_t(closed_t),
            opened_at=self.at(record.opened),
            closed_at=self.at(closed_t),
            first_line=lines[0],
            last_line=lines[1],
            body=chain.canonical(format_round(record)),
        )
        session.add(row)
        session.flush()
        return row

    def _write_alert(self, session: Session, alert: Alert, now: datetime, dealer: str | None) -> AlertRow:
        at = self.at(alert.t)
        from_at, to_at = LIVE_CLIP.around(at, noticed_at=now)
        kinds = (*SHOWN, *(CHANGED if alert.area is not None and shows_a_stack(alert) else ()))
        raised = RaisedAlert(
            table_id=self._table_id,
            log_id=self._log_id,
            body=format_alert(alert),
            dealer=dealer,
            at=at,
            noticed_at=now,
            evidence=AlertEvidence(from_at=from_at, to_at=to_at, promised=kinds),
        )
        return write_alert(session, raised, now=now)


def _closed_t(record: RoundRecord) -> float:
    return record.opened if record.closed is None else record.closed


def _entered(row: AlertRow, span: tuple[datetime, datetime]) -> EnteredAlert:
    return EnteredAlert(alert_id=row.id, at=row.at, from_at=span[0], to_at=span[1])


def _index(session: Session, rounds: Sequence[RoundRow], alerts: Sequence[AlertRow]) -> None:
    """Index each round of new findings for the search, once."""
    for row in rounds:
        enter_round(session, row)
    new = {row.number for row in rounds}
    for alert in {row.round: row for row in alerts if row.round not in new}.values():
        enter_round_of_alert(session, alert)


def _place_of(events: Sequence[Event], first_line: int) -> JournalPlace:
    place = JournalPlace(first_line, first_line)
    for event in events:
        place = place.after(News(events=(event,)))
        if isinstance(event, RoundClosed):
            place = replace(place, round_line=place.next_line)
    return place
