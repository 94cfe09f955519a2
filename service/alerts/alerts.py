"""Find alerts: a filtered list, newest first, and one alert with its round, log and history."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, exists, func, or_, select
from sqlalchemy.orm import Session

from thirdcard.service.alerts.cursors import format_cursor, parse_cursor
from thirdcard.service.alerts.views import (
    AlertView,
    ChangeView,
    LineView,
    Page,
    RoundView,
    alert_views,
    change_view,
    line_views,
    round_view,
)
from thirdcard.service.dealers.register import named_so
from thirdcard.service.store import chain
from thirdcard.service.store.log_chains import chain_of_log
from thirdcard.service.store.people import Person
from thirdcard.service.store.schema import AlertChange, AlertRow, ChainHead, LogRow, RoundRow

LIST = "alerts"
MOST_LINES = 400
"""The most log lines shown beside one alert."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertWish:
    """A filter for alerts; None and empty match all."""

    table: str | None = None
    code: str | None = None
    """A code, or the part before its dot."""
    families: Sequence[str] = ()
    """The parts before the dots of several codes; any may match."""
    severities: Sequence[str] = ()
    states: Sequence[str] = ()
    dealer: str | None = None
    dealers: Sequence[str] | None = None
    """Any of these; an empty text stands for no dealer."""
    from_at: datetime | None = None
    to_at: datetime | None = None
    """Up to this time, exclusive."""
    reason: str | None = None
    """The reason for which it was dismissed."""
    leave_out: Sequence[int] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertStory:
    """An alert with its round, log and history."""

    alert: AlertView
    round: RoundView | None
    """None while it is running."""
    log: Sequence[LineView]
    """The round's log so far, and the table's lines after it."""
    changes: Sequence[ChangeView]


def list_alerts(
    session: Session, person: Person, wish: AlertWish, *, limit: int, cursor: str | None = None
) -> Page[AlertView]:
    """The newest alerts that match and that the person may see.

    Args:
        session: Of the database.
        person: Who asks.
        wish: The filter.
        limit: The most alerts on a page.
        cursor: Where the page begins, from the page before; None: the newest.

    Raises:
        CursorError: The cursor is not from this list.
    """
    below = parse_cursor(LIST, cursor)
    query = select(AlertRow).where(*conditions(with_dealer(session, wish)), *may_see(person, AlertRow.table_id))
    if below is not None:
        query = query.where(AlertRow.id < below)
    rows = session.scalars(query.order_by(AlertRow.id.desc()).limit(limit + 1)).all()
    more = format_cursor(LIST, rows[limit - 1].id) if len(rows) > limit else None
    return Page(items=alert_views(session, rows[:limit]), next=more)


def find_alert(session: Session, person: Person, alert_id: int) -> AlertView | None:
    """One alert; None where there is none, or the person may not see it."""
    row = session.get(AlertRow, alert_id)
    if row is None or not person.may_see(row.table_id):
        return None
    return alert_views(session, [row])[0]


def tell_alert(session: Session, person: Person, alert_id: int) -> AlertStory | None:
    """One alert with its round, log and history; None where there is none, or the person may not see it."""
    alert = find_alert(session, person, alert_id)
    if alert is None:
        return None
    row = session.scalar(select(RoundRow).where(RoundRow.log_id == alert.log_id, RoundRow.number == alert.round))
    changes = session.scalars(
        select(AlertChange).where(AlertChange.alert_id == alert_id).order_by(AlertChange.id)
    ).all()
    return AlertStory(
        alert=alert,
        round=None if row is None else round_view(row),
        log=_log_beside(session, alert),
        changes=[change_view(change) for change in changes],
    )


def last_alerts(session: Session, tables: Iterable[str]) -> dict[str, AlertView]:
    """The newest alert of each table that has one."""
    newest = select(func.max(AlertRow.id)).where(AlertRow.table_id.in_(list(tables))).group_by(AlertRow.table_id)
    rows = session.scalars(select(AlertRow).where(AlertRow.id.in_(newest))).all()
    return {view.table_id: view for view in alert_views(session, rows)}


def may_see(person: Person, column: Any) -> list[ColumnElement[bool]]:
    """The SQL condition that limits a person to the tables they may see."""
    return [] if person.tables is None else [column.in_(sorted(person.tables))]


def with_dealer(session: Session, wish: AlertWish) -> AlertWish:
    """The filter with the registered name of its dealer, in whatever spelling."""
    return wish if wish.dealer is None else replace(wish, dealer=named_so(session, wish.dealer))


def conditions(wish: AlertWish) -> list[ColumnElement[bool]]:
    """The SQL conditions of a filter on alert rows."""
    found: list[ColumnElement[bool]] = []
    if wish.table is not None:
        found.append(AlertRow.table_id == wish.table)
    if wish.code is not None:
        prefix = AlertRow.code.startswith(f"{wish.code.removesuffix('.')}.", autoescape=True)
        found.append(or_(AlertRow.code == wish.code, prefix))
    if wish.families:
        found.append(or_(*(AlertRow.code.startswith(f"{family}.", autoescape=True) for family in wish.families)))
    if wish.dealers is not None:
        found.append(func.coalesce(AlertRow.dealer, "").in_(wish.dealers))
    if wish.severities:
        found.append(AlertRow.severity.in_(wish.severities))
    if wish.states:
        found.append(AlertRow.state.in_(wish.states))
    if wish.dealer is not None:
        found.append(AlertRow.dealer == wish.dealer)
    if wish.from_at is not None:
        found.append(AlertRow.at >= wish.from_at)
    if wish.to_at is not None:
        found.append(AlertRow.at < wish.to_at)
    if wish.reason is not None:
        is_it = (AlertChange.alert_id == AlertRow.id, AlertChange.reason == wish.reason)
        found.append(exists().where(*is_it, AlertChange.after == "dismissed"))
    if wish.leave_out:
        found.append(AlertRow.id.not_in(wish.leave_out))
    return found


def _log_beside(session: Session, alert: AlertView) -> list[LineView]:
    """The log lines from the start of the alert's round to the end of the next, or to the end of the log."""
    first = session.scalar(_rounds(alert, "before"))
    log = session.get_one(LogRow, alert.log_id)
    name = chain_of_log(log)
    following = session.scalar(_rounds(alert, "after"))
    head = session.get(ChainHead, name)
    last = following.last_line if following is not None else head.seq if head is not None else 0
    begin = log.first_line if first is None else first.last_line + 1
    return line_views(chain.read(session, name, first=begin, last=min(last, begin + MOST_LINES - 1)))


def _rounds(alert: AlertView, which: str) -> Select[RoundRow]:
    query = select(RoundRow).where(RoundRow.log_id == alert.log_id)
    if which == "before":
        return query.where(RoundRow.number < alert.round).order_by(RoundRow.number.desc()).limit(1)
    return query.where(RoundRow.number > alert.round).order_by(RoundRow.number).limit(1)
