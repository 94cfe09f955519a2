"""A notice in words for people, with the house's clock and a link to the alert."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from thirdcard.service.alerts.reasons import DISMISSAL_REASONS
from thirdcard.service.notify.settings import NoticeEvent
from thirdcard.service.ports.code_words import code_title

_MORE_OF_A_STORM = (
    "Further alerts of this storm are not sent one by one, unless they are more severe; see the room's pages."
)
_TITLES = {
    NoticeEvent.RAISED: "{table}: {code}",
    NoticeEvent.OVERDUE: "{table}: nobody took {code}",
    NoticeEvent.ACKNOWLEDGED: "{table}: {who} took {code}",
    NoticeEvent.ESCALATED: "{table}: {who} escalated {code}",
    NoticeEvent.CONFIRMED: "{table}: {who} confirmed {code}",
    NoticeEvent.DISMISSED: "{table}: {who} dismissed {code}",
    NoticeEvent.WITHDRAWN: "{table}: {code} is taken back by what was seen since",
    NoticeEvent.SERVICE: "Thirdcard: {code}",
    NoticeEvent.TEST: "Thirdcard: a test",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleWords:
    """The text form of notices for one house."""

    zone: ZoneInfo
    room_url: str | None = None
    """The address at which people reach the room; None: no links."""

    def title(self, body: Mapping[str, Any]) -> str:
        """The subject in one line."""
        who, code = (body.get("change") or {}).get("who", ""), code_title(str(body["code"]))
        if "storm" in body:
            return f"[{body['severity']}] Table {body['table']}: {body['storm']['alerts']} times {code}, a storm"
        title = _TITLES[NoticeEvent(body["event"])].format(table=f"Table {body['table']}", code=code, who=who)
        return f"[{body['severity']}] {title}"

    def text(self, body: Mapping[str, Any]) -> str:
        """The text: what happened, what the rulebook orders, why somebody decided so, when, and where to look."""
        lines = self._storm(body) if "storm" in body else _lines(body)
        return "\n".join([*lines, self.moment(body["at"]), *self.link(body)])

    def moment(self, text: str) -> str:
        """A time by the house's clock, such as `4 May 2026 22:00:00 (Europe/Zurich)`."""
        at = datetime.fromisoformat(text).astimezone(self.zone)
        return f"{at.day} {at:%b %Y %H:%M:%S} ({self.zone.key})"

    def link(self, body: Mapping[str, Any]) -> list[str]:
        """A link to the alert; empty where there is none."""
        number = (body.get("alert") or {}).get("id")
        return [] if self.room_url is None or number is None else [f"{self.room_url}/alerts/{number}?show=all"]

    def _storm(self, body: Mapping[str, Any]) -> list[str]:
        storm = body["storm"]
        told = "nobody took them; " if body["event"] == NoticeEvent.OVERDUE else ""
        since, until = self.moment(storm["since"]), self.moment(storm["until"])
        lasted = f"from {since} to {until}, {_lasted(storm['lasted_s'])}"
        lines = [f"{storm['alerts']} alerts of one kind {lasted}; {told}the most severe says: {storm['gravest']}"]
        if body["message"] != storm["gravest"]:
            lines.append(f"The last says: {body['message']}")
        return [*lines, _MORE_OF_A_STORM]


def _lines(body: Mapping[str, Any]) -> list[str]:
    lines = [str(body["message"])]
    remedy = (body.get("alert") or {}).get("remedy")
    if remedy:
        rule = f" ({body['alert']['rulebook']} {remedy['rule']})" if remedy.get("rule") else ""
        lines.append(f"{remedy['text']}{rule}")
    change = body.get("change") or {}
    reason = DISMISSAL_REASONS.get(change.get("reason") or "", change.get("reason"))
    return [*lines, *(text for text in (reason, change.get("note")) if text)]


def _lasted(seconds: float) -> str:
    """A duration such as `40 s`, `3 min 20 s`."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
