"""A notice: one thing that is told, as programs get it (JSON) and as people read it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from thirdcard.rules.game.words import Severity
from thirdcard.service.alerts.alert_schemas import AlertOut, ChangeOut
from thirdcard.service.alerts.reasons import DISMISSAL_REASONS
from thirdcard.service.alerts.views import AlertView, ChangeView
from thirdcard.service.notify.settings import NoticeEvent
from thirdcard.service.ports.moments import format_moment

_TITLES = {
    NoticeEvent.RAISED: "{table}: {code}",
    NoticeEvent.OVERDUE: "{table}: nobody took {code}",
    NoticeEvent.ACKNOWLEDGED: "{table}: {who} took {code}",
    NoticeEvent.ESCALATED: "{table}: {who} escalated {code}",
    NoticeEvent.CONFIRMED: "{table}: {who} confirmed {code}",
    NoticeEvent.DISMISSED: "{table}: {who} dismissed {code}",
    NoticeEvent.SERVICE: "Thirdcard: {code}",
    NoticeEvent.TEST: "Thirdcard: a test",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """What is told, whoever is told."""

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
    """An alert was raised, or is overdue; each is told once."""
    return _of_alert(alert, event, f"alert-{alert.id}-{event}", at, None)


def notice_of_change(alert: AlertView, change: ChangeView) -> Notice:
    """Somebody decided about an alert; the same decision may come twice, so its number is in the key."""
    event = NoticeEvent(change.after)
    return _of_alert(alert, event, f"alert-{alert.id}-{event}-{change.id}", change.at, change)


def service_notice(code: str, severity: Severity, message: str, *, at: datetime) -> Notice:
    """Something about the service itself."""
    return _of_service(NoticeEvent.SERVICE, code, severity, message, at)


def trial_notice(channel: str, *, at: datetime) -> Notice:
    """What the test button sends."""
    return _of_service(NoticeEvent.TEST, channel, Severity.INFO, f"A test of the channel {channel}.", at)


def title_of(body: Mapping[str, Any]) -> str:
    """One line for people."""
    who = (body.get("change") or {}).get("who", "")
    if "storm" in body:
        return f"[{body['severity']}] Table {body['table']}: {body['storm']['alerts']} times {body['code']}, a storm"
    title = _TITLES[NoticeEvent(body["event"])].format(table=f"Table {body['table']}", code=body["code"], who=who)
    return f"[{body['severity']}] {title}"


def text_of(body: Mapping[str, Any]) -> str:
    """What people are told below the title: what happened, what the rulebook orders, why somebody decided so."""
    if "storm" in body:
        return _text_of_storm(body)
    lines = [str(body["message"])]
    remedy = (body.get("alert") or {}).get("remedy")
    if remedy:
        rule = f" ({body['alert']['rulebook']} {remedy['rule']})" if remedy.get("rule") else ""
        lines.append(f"{remedy['text']}{rule}")
    change = body.get("change") or {}
    reason = DISMISSAL_REASONS.get(change.get("reason") or "", change.get("reason"))
    lines += [text for text in (reason, change.get("note")) if text]
    return "\n".join([*lines, str(body["at"])])


def _text_of_storm(body: Mapping[str, Any]) -> str:
    storm = body["storm"]
    told = "nobody took them; " if body["event"] == NoticeEvent.OVERDUE else ""
    worst = f"{told}the gravest says: {storm['gravest']}"
    lasted = f"from {storm['since']} to {storm['until']}, {_lasted(storm['lasted_s'])}"
    lines = [f"{storm['alerts']} alerts of one kind {lasted}; {worst}"]
    if body["message"] != storm["gravest"]:
        lines.append(f"The last says: {body['message']}")
    lines.append("What follows of this storm is not told one by one, unless it is grave or worse; see the room.")
    return "\n".join((*lines, str(body["at"])))


def _lasted(seconds: float) -> str:
    """`40 s`, `3 min 20 s`."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


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
    key = f"{event}-{code}-{int(at.timestamp() * 1000)}".replace(".", "_")  # dots part what is signed
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
