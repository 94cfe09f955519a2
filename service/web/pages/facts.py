"""The data of each page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from markupsafe import Markup
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from thirdcard.rules.game.words import Severity
from thirdcard.service.alerts.alerts import AlertStory, AlertWish, list_alerts, may_see, tell_alert
from thirdcard.service.alerts.audit_log import ActWish, list_acts
from thirdcard.service.alerts.cases import CaseView, cases_of, list_cases, tell_case
from thirdcard.service.alerts.doubtful import list_doubtful
from thirdcard.service.alerts.holding import holds_of
from thirdcard.service.alerts.lifecycle import steps_of
from thirdcard.service.alerts.room import Room
from thirdcard.service.alerts.saving import LONGEST
from thirdcard.service.alerts.storms import find_storms, with_shown
from thirdcard.service.alerts.tables import tell_tables
from thirdcard.service.analytics.asking import Asker, find_dealers
from thirdcard.service.analytics.tallies import ERRORS
from thirdcard.service.dealers.register import active_names
from thirdcard.service.rounds.seen_rounds import last_lines
from thirdcard.service.store.alert_states import UNCLOSED, AlertState
from thirdcard.service.store.holds import HoldView
from thirdcard.service.store.people import Person, Role
from thirdcard.service.store.schema import AlertRow
from thirdcard.service.web.asking import all_tables
from thirdcard.service.web.dependencies import seen_table
from thirdcard.service.web.health import is_watched
from thirdcard.service.web.http_errors import not_found
from thirdcard.service.web.pages.clip_facts import (
    clip_sources,
    fault_in_clip_s,
    may_be_lengthened,
    other_views,
    recorded_sources,
)
from thirdcard.service.web.pages.decision_facts import begin_of
from thirdcard.service.web.pages.showing import Pages
from thirdcard.service.web.requests import AuditPageQuery, ListQuery, WallQuery

LINES_ON_TABLE = 60
ALERTS_ON_TABLE = 6
MOST_REMINDED = 200
MOST_NEW = 50
"""The most new, unacknowledged alerts sent: a page sounds those of them that were raised during a navigation."""
AUDITED = (
    "alert", "incident", "evidence", "recording", "case", "hold", "round", "signal", "session", "user", "token",
    "dealers", "channel", "delivery", "disk",
)  # fmt: skip
"""The subjects of acts: the part of an action before its dot."""
TO_DO = "todo"
DEALING = "dealing"
"""Used in place of a code: all dealing errors, as counted in the figures."""
STATE_CHOICES: Mapping[str, tuple[AlertState, ...]] = {
    TO_DO: UNCLOSED,
    "open": (AlertState.OPEN,),
    "taken": (AlertState.ACKNOWLEDGED,),
    "escalated": (AlertState.ESCALATED,),
    "confirmed": (AlertState.CONFIRMED,),
    "dismissed": (AlertState.DISMISSED,),
    "withdrawn": (AlertState.WITHDRAWN,),
    "closed": (AlertState.CONFIRMED, AlertState.DISMISSED),
    "counted": (*UNCLOSED, AlertState.CONFIRMED),
    "all": (),
}


def frame(room: Room, person: Person, section: str) -> dict[str, Any]:
    """The data of the frame around every page."""
    return {
        **room.sharing.get(("frame", person.tables), lambda: _waiting(room, person)),
        "person": person,
        "section": section,
        "may_supervise": person.role.includes(Role.SUPERVISOR),
        "is_admin": person.role.includes(Role.ADMIN),
        "is_user": person.csrf is not None,
    }


def _waiting(room: Room, person: Person) -> dict[str, Any]:
    """The counts of open and unacknowledged alerts, and the place in the stream from which a page listens."""
    place = str(room.feed.told_place())
    seen = may_see(person, AlertRow.table_id)
    query = select(func.count()).where(AlertRow.state.in_(UNCLOSED), *seen)
    columns = (AlertRow.id, AlertRow.table_id, AlertRow.code, AlertRow.severity, AlertRow.noticed_at)
    untaken = select(*columns).where(AlertRow.state == AlertState.OPEN, *seen)
    oldest = untaken.order_by(AlertRow.id).limit(MOST_REMINDED)
    newest = untaken.order_by(AlertRow.id.desc()).limit(MOST_NEW)
    with room.database.reading() as session:
        waiting = session.scalar(query) or 0
        left = {row.id: row for each in (oldest, newest) for row in session.execute(each)}
    return {
        "waiting": waiting,
        "untaken": [
            {"id": number, "table": table, "code": code, "severity": severity, "raised_at": at.isoformat()}
            for number, table, code, severity, at in (row for _, row in sorted(left.items()))
        ],
        "place": place,
    }


def wall(room: Room, person: Person) -> dict[str, Any]:
    """All tables that the person may see, in a fixed order; tables with faults are only highlighted."""
    told = tell_tables(room, [state for state in room.live.states() if person.may_see(state.table_id)])
    unwatched = sum(not is_watched(state) for state, _, _ in told)
    may_set_up = person.role.includes(Role.ADMIN)
    return {
        "told": told,
        "unwatched": unwatched,
        "now": room.clock(),
        "is_watched": is_watched,
        "may_set_up": may_set_up,
    }


def table(room: Room, person: Person, table_id: str) -> dict[str, Any]:
    """One table and its log."""
    (told,) = tell_tables(room, [seen_table(room, person, table_id)])
    with room.database.reading() as session:
        lines = last_lines(session, table_id, most=LINES_ON_TABLE)
        latest = list_alerts(session, person, AlertWish(table=table_id), limit=ALERTS_ON_TABLE)
        dealers = active_names(session) if room.settings.house.shows_names_to(person) else ()
    return {
        "dealers": dealers,
        "state": told[0],
        "last": told[1],
        "open_alerts": told[2],
        "lines": lines[::-1],
        "alerts": latest.items,
        "now": room.clock(),
        "is_watched": is_watched,
        "may_report": person.role.includes(Role.OPERATOR),
        "bets": room.settings.bets_of(table_id),
        "most_minutes": int(min(room.settings.kept_of(table_id), LONGEST).total_seconds() // 60),
    }


def alert_list(room: Room, pages: Pages, person: Person, query: WallQuery) -> Markup:
    """The list, rendered once for all people with equal rights; a storm appears as its newest alert and a count."""
    may_take, names = person.role.includes(Role.OPERATOR), room.settings.house.shows_names_to(person)

    def make() -> Markup:
        shown = _list(room, person, query)
        return pages.part("parts/alerts.html", **shown, may_take=may_take, query=query, filters=_filters(query))

    return room.sharing.get(("alerts page", person.tables, may_take, names, query.model_dump_json()), make)


def alerts(room: Room, pages: Pages, person: Person, query: WallQuery) -> dict[str, Any]:
    """The list and its filters."""
    return {
        "list": alert_list(room, pages, person, query),
        "query": query,
        "filters": _filters(query),
        "narrowed": _narrowed(query),
        "tables": all_tables(room, person),
        "severities": [str(severity) for severity in reversed(Severity)],
        "may_decide": person.role.includes(Role.OPERATOR),
        "now": room.clock(),
        "opened": None,
    }


def _list(room: Room, person: Person, query: WallQuery) -> dict[str, Any]:
    with room.database.reading() as session:
        wish = _wish(room, session, person, query)
        has_open = not wish.states or AlertState.OPEN in wish.states
        found = find_storms(session, person, wish) if has_open else []
        hidden = [number for storm in found for number in storm.ids[1:]]
        wish = replace(wish, leave_out=hidden)
        page = list_alerts(session, person, wish, limit=query.limit, cursor=query.cursor)
        heads = {alert.id for alert in page.items}
        storms = {storm.ids[0]: with_shown(session, storm) for storm in found if storm.ids[0] in heads}
    return {"page": page, "storms": storms}


def alert(room: Room, person: Person, alert_id: int) -> dict[str, Any]:
    """One alert with its round, log, evidence and history."""
    is_supervisor = person.role.includes(Role.SUPERVISOR)
    story = room.sharing.get(("story", person.tables, alert_id), lambda: _story(room, person, alert_id))
    if story is None:
        raise not_found("alert")
    gathered: Sequence[CaseView] = ()
    open_cases: Sequence[CaseView] = ()
    holds: Sequence[HoldView] = ()
    with room.database.reading() as session:
        steps = steps_of(session, person, AlertState(story.alert.state), story.alert.owner)
        if is_supervisor:
            gathered = cases_of(session, person, alert_id)
            open_cases = list_cases(session, person, limit=50, state="open").items
            holds = holds_of(session, alert=alert_id)
    return {
        "holds": holds,
        "opened": story,
        "fault_s": fault_in_clip_s(story.alert),
        "sources": clip_sources(story.alert),
        "recorded": recorded_sources(room, story.alert),
        "may_copy": person.role.includes(Role.OPERATOR) and room.background is not None,
        "other_views": other_views(room, story.alert),
        "may_lengthen": person.role.includes(Role.OPERATOR) and may_be_lengthened(room, story.alert),
        "steps": steps,
        "may_gather": is_supervisor,
        "gathered": gathered,
        "open_cases": [one for one in open_cases if one.id not in {case.id for case in gathered}],
        "now": room.clock(),
    }


def doubtful(room: Room, person: Person, query: ListQuery) -> dict[str, Any]:
    """Findings whose confidence stayed too low for an alert, newest first."""
    with room.database.reading() as session:
        page = list_doubtful(session, person, AlertWish(), limit=query.limit, cursor=query.cursor)
    return {"page": page}


def _story(room: Room, person: Person, alert_id: int) -> AlertStory | None:
    with room.database.reading() as session:
        return tell_alert(session, person, alert_id)


def cases(room: Room, person: Person, query: ListQuery) -> dict[str, Any]:
    """All cases that the person may see."""
    with room.database.reading() as session:
        return {"page": list_cases(session, person, limit=query.limit, cursor=query.cursor)}


def case(room: Room, person: Person, case_id: int) -> dict[str, Any]:
    """One case."""
    with room.database.reading() as session:
        story, holds = tell_case(session, person, case_id), holds_of(session, case=case_id)
    if story is None:
        raise not_found("case")
    return {"story": story, "holds": holds, "now": room.clock()}


def audit(room: Room, person: Person, query: AuditPageQuery) -> dict[str, Any]:
    """The acts of the audit chain that match."""
    zone = ZoneInfo(room.settings.time_zone)
    from_at, to_at = begin_of(query.from_ or None, zone, later=0), begin_of(query.to or None, zone, later=1)
    wish = ActWish(
        who=query.who or None, action=query.action or None, text=query.text or None, from_at=from_at, to_at=to_at
    )
    with room.database.reading() as session:
        page = list_acts(session, person, wish, limit=query.limit, cursor=query.cursor)
    said = {"who": query.who, "action": query.action, "text": query.text}
    asked = {name: value for name, value in said.items() if value}
    days = {name: day for name, day in (("from", query.from_), ("to", query.to)) if day}
    moments = {name: at.isoformat() for name, at in (("from", from_at), ("to", to_at)) if at is not None}
    return {
        "page": page,
        "query": query,
        "kinds": AUDITED,
        "filters": urlencode(asked | days),
        "as_csv": urlencode(asked | moments | {"format": "csv"}),
    }


def _wish(room: Room, session: Session, person: Person, query: WallQuery) -> AlertWish:
    is_dealing = query.code == DEALING
    house = room.settings.house
    asker = Asker(person=person, are_names_shown=house.shows_names_to(person))
    return AlertWish(
        table=query.table or None,
        code=None if is_dealing else query.code or None,
        families=ERRORS if is_dealing else (),
        severities=[str(query.severity)] if query.severity else (),
        states=[str(state) for state in STATE_CHOICES[query.show]],
        dealers=find_dealers(session, house, asker, query.dealer) if query.dealer else None,
        from_at=query.from_,
        to_at=query.to,
        reason=query.reason or None,
    )


def _narrowed(query: WallQuery) -> dict[str, str]:
    """The filters without a form field: dealer, times, and reason of dismissal."""
    moments = {"from": query.from_, "to": query.to}
    said = {"reason": query.reason, "dealer": query.dealer} | {
        name: at.isoformat() if at else "" for name, at in moments.items()
    }
    return {name: value for name, value in said.items() if value}


def _filters(query: WallQuery) -> str:
    """The filters as a query string."""
    said = {"show": query.show, "severity": query.severity, "table": query.table, "code": query.code}
    said |= _narrowed(query)
    kept = {name: str(value) for name, value in said.items() if value and (name, value) != ("show", TO_DO)}
    return urlencode(kept)
