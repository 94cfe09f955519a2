"""The deliveries that were sent, wait or failed, for the people who look after the channels."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from thirdcard.service.alerts.cursors import format_cursor, parse_cursor
from thirdcard.service.alerts.views import Page
from thirdcard.service.notify.outbox import FAILED, WAITING
from thirdcard.service.store import audit
from thirdcard.service.store.schema import DeliveryRow

LIST = "deliveries"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryView:
    """A message for one channel and its state."""

    id: int
    key: str
    channel: str
    alert_id: int | None
    event: str
    state: str
    """waiting, sent, failed or gathered."""
    attempts: int
    entered_at: datetime
    due_at: datetime
    settled_at: datetime | None
    fault: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelTally:
    """The number of a channel's deliveries by state."""

    channel: str
    waiting: int = 0
    sent: int = 0
    failed: int = 0
    gathered: int = 0
    """Covered by the message of a storm."""


def deliveries(
    session: Session,
    *,
    limit: int,
    cursor: str | None = None,
    channel: str | None = None,
    state: str | None = None,
    alert_id: int | None = None,
) -> Page[DeliveryView]:
    """The newest deliveries that match; None matches all.

    Raises:
        CursorError: The cursor is not from this list.
    """
    below = parse_cursor(LIST, cursor)
    query = select(DeliveryRow) if below is None else select(DeliveryRow).where(DeliveryRow.id < below)
    wishes = ((DeliveryRow.channel, channel), (DeliveryRow.state, state), (DeliveryRow.alert_id, alert_id))
    query = query.where(*(column == wish for column, wish in wishes if wish is not None))
    rows = session.scalars(query.order_by(DeliveryRow.id.desc()).limit(limit + 1)).all()
    more = format_cursor(LIST, rows[limit - 1].id) if len(rows) > limit else None
    return Page(items=[_view(row) for row in rows[:limit]], next=more)


def tallies(session: Session) -> list[ChannelTally]:
    """The number of deliveries by channel and state, for metrics and the settings page."""
    counted: dict[str, dict[str, int]] = {}
    query = select(DeliveryRow.channel, DeliveryRow.state, func.count())
    for channel, state, count in session.execute(query.group_by(DeliveryRow.channel, DeliveryRow.state)):
        counted.setdefault(channel, {})[state] = count
    return [ChannelTally(channel=channel, **counts) for channel, counts in sorted(counted.items())]


def send_again(session: Session, who: str, delivery_id: int, *, now: datetime) -> bool:
    """Retry a failed delivery with its old key; returns False where there is no such failed delivery."""
    row = session.get(DeliveryRow, delivery_id, with_for_update=True)
    if row is None or row.state != FAILED:
        return False
    row.state, row.due_at, row.entered_at, row.settled_at, row.attempts = WAITING, now, now, None, 0
    audit.note(session, who, "delivery.sent_again", f"delivery:{row.id}", at=now, key=row.key, channel=row.channel)
    return True


def _view(row: DeliveryRow) -> DeliveryView:
    return DeliveryView(
        id=row.id,
        key=row.key,
        channel=row.channel,
        alert_id=row.alert_id,
        event=row.event,
        state=row.state,
        attempts=row.attempts,
        entered_at=row.entered_at,
        due_at=row.due_at,
        settled_at=row.settled_at,
        fault=row.fault,
    )
