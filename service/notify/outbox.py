"""Store notices durably: a crash loses none, and sends none under two keys.

The reading position in alerts and decisions moves in the transaction that stores their deliveries. A delivery is marked
as sent after the receiver accepted it; a crash in between sends it again, with the same key and body.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import case, delete, func, select, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from thirdcard.rules.game.words import Severity
from thirdcard.service.alerts.reasons import CORRECTED
from thirdcard.service.alerts.views import alert_views, change_view
from thirdcard.service.notify.matching import NoticeRules
from thirdcard.service.notify.notices import Notice, notice_of_alert, notice_of_change
from thirdcard.service.notify.settings import NoticeEvent
from thirdcard.service.notify.storms import as_told_to_people
from thirdcard.service.rounds.search.index import TAKEN_BACK, UNRAISED
from thirdcard.service.store.alert_states import AlertState
from thirdcard.service.store.schema import AlertChange, AlertRow, DeliveryPlace, DeliveryRow

logger = logging.getLogger(__name__)

WAITING, SENT, FAILED, GATHERED = "waiting", "sent", "failed", "gathered"
"""Gathered: covered by the message of a storm."""
BATCH = 200
TOO_OLD = timedelta(hours=24)
"""Events that are read so late are not sent any more; the delivery says so."""
LONGEST_GAP = timedelta(seconds=5)
"""A row id that is still missing after this time was never committed."""
WAITS_S = (5, 15, 60, 300, 900, 1800, 3600)
"""Waits in seconds after the first, the second, ... attempt; the last one from then on."""
_SEVERE = (Severity.CRITICAL, Severity.HIGH)
_STORMY = (NoticeEvent.RAISED, NoticeEvent.OVERDUE)
"""The events that a storm has many of."""
ALERTS, CHANGES, OVERDUE = "alerts", "changes", "overdue"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A delivery that is due."""

    id: int
    key: str
    body: str
    attempts: int
    entered_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryOutcome:
    """The outcome of an attempt."""

    ids: Sequence[int]
    at: datetime
    fault: str | None = None
    """None: it was sent."""
    next_at: datetime | None = None
    """When it is tried again; None: it has failed."""


def begin(session: Session, channels: Iterable[str], *, now: datetime) -> None:
    """Start an outbox that was never used after everything that has happened so far.

    Messages that wait for a channel that no longer exists are marked as failed.
    """
    lost = (DeliveryRow.state == WAITING, DeliveryRow.channel.not_in(list(channels)))
    given_up = {"state": FAILED, "settled_at": now, "fault": "there is no channel of that name any more"}
    session.execute(update(DeliveryRow).where(*lost).values(given_up))
    alert = session.scalar(select(func.max(AlertRow.id))) or 0
    change = session.scalar(select(func.max(AlertChange.id))) or 0
    for name, number in ((ALERTS, alert), (CHANGES, change), (OVERDUE, alert)):
        if session.get(DeliveryPlace, name) is None:
            session.add(DeliveryPlace(name=name, number=number))


def has_news(session: Session, *, now: datetime, overdue_after: timedelta) -> bool:
    """Whether there are events to store; does not write."""
    return any(
        next(iter(read(session)), None) is not None
        for read in (_new_alerts, _new_changes, lambda within: _overdue(within, now - overdue_after))
    )


def enter_news(session: Session, rules: NoticeRules, *, now: datetime, overdue_after: timedelta) -> int:
    """Store the deliveries of events since the last call, at most one batch; returns how many."""
    steps: tuple[tuple[str, Iterable[Any], Callable[[Any], Notice | None]], ...] = (
        (ALERTS, _new_alerts(session), lambda row: _raised(session, row)),
        (CHANGES, _new_changes(session), lambda row: _decided(session, row)),
        (OVERDUE, _overdue(session, now - overdue_after), lambda row: _left(session, row, now)),
    )
    entered = 0
    for name, rows, tell in steps:
        place = session.get_one(DeliveryPlace, name, with_for_update=True)
        for row in rows if name == OVERDUE else _without_gaps(rows, place.number, now):
            notice = _told(tell, row, name)
            entered += 0 if notice is None else _enter_for_all(session, notice, rules, now)
            place.number = row.id
    return entered


def _told(tell: Callable[[Any], Notice | None], row: Any, place: str) -> Notice | None:
    """The notice of a row; an error is logged and the row skipped, since it would block every later notice."""
    try:
        return tell(row)
    except SQLAlchemyError:
        raise
    except Exception:
        logger.exception("notifications: no notice could be made of %s %s; it is skipped", place, row.id)
        return None


def enter(
    session: Session, notice: Notice, channels: Iterable[str], *, now: datetime, is_gathered: bool = False
) -> int:
    """Store a notice for some channels, once for each; returns how many are new.

    `is_gathered`: the message of a storm covers it, so it is recorded but not sent.
    """
    entered = 0
    for channel in channels:
        known = select(DeliveryRow.id).where(DeliveryRow.key == notice.key, DeliveryRow.channel == channel)
        if session.scalar(known) is None:
            session.add(_row(notice, channel, now, is_gathered=is_gathered))
            entered += 1
    session.flush()
    return entered


def due(session: Session, channel: str, *, now: datetime, limit: int, without: Sequence[int] = ()) -> list[Waiting]:
    """The deliveries that a channel must send now: first the service's own and those of severe alerts, each by age.

    Args:
        session: The database.
        channel: The channel's name.
        now: The time.
        limit: The most deliveries.
        without: The ids of deliveries that were just attempted.
    """
    wanted = (
        select(DeliveryRow)
        .outerjoin(AlertRow, AlertRow.id == DeliveryRow.alert_id)
        .where(DeliveryRow.channel == channel, DeliveryRow.state == WAITING, DeliveryRow.due_at <= now)
        .where(DeliveryRow.id.not_in(without))
        .order_by(case((AlertRow.severity.not_in(_SEVERE), 1), else_=0), DeliveryRow.id)
        .limit(limit)
    )
    return [
        Waiting(id=row.id, key=row.key, body=row.body, attempts=row.attempts, entered_at=row.entered_at)
        for row in session.scalars(wanted)
    ]


def next_attempt(
    delivery: Waiting, *, now: datetime, give_up_after: timedelta, at_least: timedelta = timedelta()
) -> datetime | None:
    """When a delivery that just failed is tried again; None where its time is over."""
    wait = timedelta(seconds=WAITS_S[min(delivery.attempts, len(WAITS_S) - 1)])
    at = now + max(wait, at_least)
    return at if at - delivery.entered_at <= give_up_after else None


def settle(session: Session, outcome: DeliveryOutcome) -> None:
    """Record the outcome of an attempt."""
    values: dict[str, Any] = {"attempts": DeliveryRow.attempts + 1, "fault": outcome.fault}
    if outcome.fault is None:
        values |= {"state": SENT, "settled_at": outcome.at}
    elif outcome.next_at is None:
        values |= {"state": FAILED, "settled_at": outcome.at}
    else:
        values |= {"due_at": outcome.next_at}
    session.execute(update(DeliveryRow).where(DeliveryRow.id.in_(outcome.ids)).values(values))


def prune(session: Session, *, before: datetime) -> int:
    """Delete sent deliveries from before that time; returns how many. Failed ones stay."""
    old = (DeliveryRow.state.in_((SENT, GATHERED)), DeliveryRow.settled_at < before)
    pruned = session.scalars(delete(DeliveryRow).where(*old).returning(DeliveryRow.id))
    return len(pruned.all())


def hurry(session: Session, channel: str, *, now: datetime) -> None:
    """Make everything that waits for a channel due now, since its receiver answers again."""
    waiting = (DeliveryRow.channel == channel, DeliveryRow.state == WAITING, DeliveryRow.due_at > now)
    session.execute(update(DeliveryRow).where(*waiting).values(due_at=now))


def _enter_for_all(session: Session, notice: Notice, rules: NoticeRules, now: datetime) -> int:
    """Store a notice for all channels of the rules; people get one message for a whole storm.

    A withdrawal goes only to channels that got the alert as a separate message.
    """
    entered = 0
    for channel in rules.channels_for(notice):
        if notice.event is NoticeEvent.WITHDRAWN and not _was_sent(session, notice.alert_id, channel):
            continue
        told: Notice | None = notice
        if notice.event in _STORMY and channel in rules.people:
            told = as_told_to_people(session, notice, channel)
        entered += enter(session, told or notice, [channel], now=now, is_gathered=told is None)
    return entered


def _was_sent(session: Session, alert_id: int | None, channel: str) -> bool:
    """Whether an alert was, or will be, sent to a channel as a separate message."""
    sent = select(DeliveryRow.id).where(
        DeliveryRow.alert_id == alert_id,
        DeliveryRow.channel == channel,
        DeliveryRow.event == str(NoticeEvent.RAISED),
        DeliveryRow.state != GATHERED,
    )
    return session.scalar(sent.limit(1)) is not None


def _row(notice: Notice, channel: str, now: datetime, *, is_gathered: bool) -> DeliveryRow:
    is_old = now - notice.at > TOO_OLD
    state = GATHERED if is_gathered else FAILED if is_old else WAITING
    return DeliveryRow(
        key=notice.key,
        channel=channel,
        alert_id=notice.alert_id,
        event=str(notice.event),
        state=state,
        entered_at=now,
        due_at=now,
        settled_at=None if state == WAITING else now,
        fault=f"not sent: it was more than {TOO_OLD.total_seconds() / 3600:g} h ago" if state == FAILED else None,
        body=notice.body,
    )


def _new_alerts(session: Session) -> Sequence[AlertRow]:
    wanted = select(AlertRow).where(AlertRow.id > _place(ALERTS)).order_by(AlertRow.id).limit(BATCH)
    return session.scalars(wanted).all()


def _new_changes(session: Session) -> Sequence[AlertChange]:
    wanted = select(AlertChange).where(AlertChange.id > _place(CHANGES)).order_by(AlertChange.id).limit(BATCH)
    return session.scalars(wanted).all()


def _overdue(session: Session, before: datetime) -> Sequence[AlertRow]:
    """Alerts that were raised before that time, taken or not."""
    wanted = select(AlertRow).where(AlertRow.id > _place(OVERDUE), AlertRow.noticed_at <= before)
    return session.scalars(wanted.order_by(AlertRow.id).limit(BATCH)).all()


def _place(name: str) -> Any:
    return select(DeliveryPlace.number).where(DeliveryPlace.name == name).scalar_subquery()


def _without_gaps(rows: Iterable[Any], place: int, now: datetime) -> Iterator[Any]:
    """The rows up to a number that another writer may still commit."""
    for row in rows:
        made_at = row.noticed_at if isinstance(row, AlertRow) else row.at
        if row.id != place + 1 and now - made_at < LONGEST_GAP:
            return
        place = row.id
        yield row


def _raised(session: Session, row: AlertRow) -> Notice | None:
    return (
        None if row.is_quiet else notice_of_alert(alert_views(session, [row])[0], NoticeEvent.RAISED, at=row.noticed_at)
    )


def _decided(session: Session, row: AlertChange) -> Notice | None:
    if row.reason in (CORRECTED, TAKEN_BACK, UNRAISED):
        return None  # a correction after the fact notifies nobody
    alert = session.get_one(AlertRow, row.alert_id)
    return notice_of_change(alert_views(session, [alert])[0], change_view(row))


def _left(session: Session, row: AlertRow, now: datetime) -> Notice | None:
    """The notice for an alert that nobody took in time; None where somebody did."""
    if row.state != AlertState.OPEN or row.is_quiet:
        return None
    return notice_of_alert(alert_views(session, [row])[0], NoticeEvent.OVERDUE, at=now)
