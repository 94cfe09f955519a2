"""A notice: one message about an event, as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from thirdcard.rules.game.words import Severity
from thirdcard.service.alerts.alert_schemas import AlertOut, ChangeOut
from thirdcard.service.alerts.views import AlertView, ChangeView
from thirdcard.service.notify.settings import NoticeEvent
from thirdcard.service.ports.moments import format_moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """The content of a notice, the same for all receivers."""

    key: str
    """The same each time that it is sent."""
    event: NoticeEvent
    at: datetime
    severity: Severity
    code: str
    table_id: str | None
    alert_id: int | None
    body: str
    """JSON."""


def notice_of_alert(alert: AlertView, event: NoticeEvent, *, at: datetime) -> Notice:
    """The notice that an alert was raised, or is overdue; each is sent once."""
    return _of_alert(alert, event, f"alert-{alert.id}-{event}", at, None)


def notice_of_change(alert: AlertView, change: ChangeView) -> Notice:
    """The notice of a decision on an alert; its number is in the key, since the same decision may be made twice."""
    event = NoticeEvent(change.after)
    return _of_alert(alert, event, f"alert-{alert.id}-{event}-{change.id}", change.at, change)


def service_notice(code: str, severity: Severity, message: str, *, at: datetime) -> Notice:
    """A notice about the service itself."""
    return _of_service(NoticeEvent.SERVICE, code, severity, message, at)


def trial_notice(channel: str, *, at: datetime) -> Notice:
    """The notice that the test button sends."""
    return _of_service(NoticeEvent.TEST, channel, Severity.INFO, f"A test of the channel {channel}.", at)


def _of_alert(alert: AlertView, event: NoticeEvent, key: str, at: datetime, change: ChangeView | None) -> Notice:
    shown = AlertOut.of(alert).model_dump(mode="json", by_alias=True)
    body = {
        "key": key,
        "event": str(event),
        "at": format_moment(at),
        "table": alert.table_id,
        "severity": shown["severity"],
        "code": shown["code"],
        "message": shown["message"],
        "alert": shown,
        "change": None if change is None else ChangeOut.of(change).model_dump(mode="json"),
    }
    return Notice(
        key=key,
        event=event,
        at=at,
        severity=Severity(shown["severity"]),
        code=shown["code"],
        table_id=alert.table_id,
        alert_id=alert.id,
        body=_json(body),
    )


def _of_service(event: NoticeEvent, code: str, severity: Severity, message: str, at: datetime) -> Notice:
    key = f"{event}-{code}-{int(at.timestamp() * 1000)}".replace(".", "_")  # dots separate the parts that are signed
    body = {
        "key": key,
        "event": str(event),
        "at": format_moment(at),
        "table": None,
        "severity": str(severity),
        "code": code,
        "message": message,
        "alert": None,
        "change": None,
    }
    return Notice(
        key=key, event=event, at=at, severity=severity, code=code, table_id=None, alert_id=None, body=_json(body)
    )


def _json(body: Mapping[str, object]) -> str:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))
