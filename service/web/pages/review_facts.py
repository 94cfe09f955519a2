"""The data of the pages for reviewers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import select, tuple_
from sqlalchemy.orm import Session

from thirdcard.rules.game.cards import PACK
from thirdcard.rules.log.events import EVENT_TYPES
from thirdcard.service.alerts.room import Room
from thirdcard.service.alerts.views import RoundView
from thirdcard.service.analytics.tallies import list_names
from thirdcard.service.dealers.register import active_names
from thirdcard.service.rounds import timeline
from thirdcard.service.rounds.rounds import OpenedRound, open_round
from thirdcard.service.rounds.search.days import read_day
from thirdcard.service.rounds.search.fields import CHANGES, CODES, FAMILIES, TRAITS
from thirdcard.service.rounds.search.find import find_rounds
from thirdcard.service.rounds.search.grammar import understand
from thirdcard.service.rounds.shift_listing import ShiftView, ShiftWish, find_shift, list_shifts
from thirdcard.service.store.people import Person, Role
from thirdcard.service.store.schema import AlertRow, LogRow
from thirdcard.service.web.asking import known_tables, wish_of
from thirdcard.service.web.http_errors import not_found
from thirdcard.service.web.requests import RoundsQuery, ShiftsQuery, WindowQuery

ADDABLE = ("no_more_bets", "bets_opened", "result_announced", "dealer_changed", "wager_changed", "wager_settled",
           "card_dealt", "card_turned", "card_moved", "card_removed", "card_shown", "card_replaced",
           "void_hand_announced", "round_voided", "return_ordered", "nominee_named", "handling_declined",
           "limits_changed", "cut_card_drawn", "last_round_announced")  # fmt: skip
"""Event types that a person can add on the page; others can be added through the API."""
ALMOST_A_SECOND = timedelta(microseconds=999_999)
"""A field of whole seconds holds the end of what it shows."""
ZOOMS = (15, 30, 60, 120, 240)


def shifts(room: Room, person: Person, query: ShiftsQuery) -> dict[str, Any]:
    """The list of shifts by the day on which they began, each with its time line."""
    now, day = _now(room), None
    if query.day:
        day = read_day(query.day, now)
    wish = ShiftWish(
        table=query.table or None,
        from_at=None if day is None else day.begins,
        to_at=None if day is None else day.ends,
    )
    with room.database.reading() as session:
        page = list_shifts(session, person, wish, limit=query.limit, cursor=query.cursor)
        rows = [_overview(session, shift) for shift in page.items]
        tables = known_tables(session, person)
    days: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        days.setdefault(f"{row['shift'].began_at.astimezone(now.tzinfo):%A %-d %B %Y}", []).append(row)
    return {"days": days, "next": page.next, "query": query, "tables": tables,
            "is_day_unknown": bool(query.day) and day is None}  # fmt: skip


def shift(room: Room, person: Person, log_id: int, query: WindowQuery) -> dict[str, Any]:
    """One shift: a summary of the whole, and a part of it round by round."""
    with room.database.reading() as session:
        view = find_shift(session, person, log_id)
        if view is None:
            raise not_found("shift")
        log = session.get_one(LogRow, log_id)
        window = _window(view, query, _now(room).tzinfo)
        return {
            **_overview(session, view),
            "window": window,
            "minutes": query.minutes,
            "zooms": ZOOMS,
            "detail": timeline.draw(session, log, window, view.ended_at),
            "hours": _hours(view, _now(room).tzinfo),
            "earlier": window.from_at - timedelta(minutes=query.minutes),
            "later": window.to_at,
            "beside": _beside(session, person, view),
            **_who_dealt(room, person, session, window),
        }


def _who_dealt(room: Room, person: Person, session: Session, window: timeline.TimeScale) -> dict[str, Any]:
    """The dealers to choose from, for people who may state who dealt, and the drawn time by the house's clock."""
    may_say = person.role.includes(Role.SUPERVISOR) and room.settings.house.shows_names_to(person)
    zone = ZoneInfo(room.settings.time_zone)
    return {
        "dealers": active_names(session) if may_say else (),
        "local_from": f"{window.from_at.astimezone(zone):%Y-%m-%dT%H:%M:%S}",
        "local_to": f"{(window.to_at + ALMOST_A_SECOND).astimezone(zone):%Y-%m-%dT%H:%M:%S}",
    }


def opened(room: Room, person: Person, round_id: int) -> dict[str, Any]:
    """One round with its log, corrections, video and alerts."""
    with room.database.reading() as session:
        found = open_round(session, person, round_id)
    if found is None:
        raise not_found("round")
    return {
        "opened": found,
        "record": found.round.body,
        "may_correct": person.role.includes(Role.OPERATOR),
        "pack": [str(card) for card in PACK],
        "addable": [name for name in ADDABLE if name in EVENT_TYPES],
        "bets": list(dict.fromkeys((*room.settings.bets_of(found.round.table_id), *_bets_in(found)))),
        "at_of": lambda t: found.log_began_at + timedelta(seconds=t),
    }


def rounds(room: Room, person: Person, query: RoundsQuery) -> dict[str, Any]:
    """The search as typed, how it was understood, and its results."""
    text = query.text
    with room.database.reading() as session:
        tables = known_tables(session, person)
        are_names_shown = room.settings.house.shows_names_to(person)
        dealers = list_names(session, person, "dealer") if are_names_shown else ()
        asked = understand(text, _now(room), tables, dealers)
        is_empty = bool(text) and not asked.words
        page = None if is_empty else find_rounds(
            session, person, wish_of(asked), limit=query.limit, cursor=query.cursor
        )  # fmt: skip
        alerts = {} if page is None else _alerts_of(session, page.items)
    return {
        "text": text,
        "asked": asked,
        "page": page,
        "alerts": alerts,
        "tables": tables,
        "codes": [*FAMILIES, *CODES],
        "changes": CHANGES,
        "traits": TRAITS,
        "pack": [str(card) for card in PACK],
    }


def _bets_in(opened: OpenedRound) -> list[str]:
    """The bets in the round's own lines: a log may be from a rulebook that no table has now."""
    return [str(line.body["bet"]) for line in opened.lines if line.body.get("bet")]


def _now(room: Room) -> datetime:
    return room.clock().astimezone(ZoneInfo(room.settings.time_zone))


def _overview(session: Session, view: ShiftView) -> dict[str, Any]:
    scale = _whole(view)
    log = session.get_one(LogRow, view.id)
    return {
        "shift": view,
        "scale": scale,
        "columns": timeline.sum_up(session, view.id, scale),
        "unseen": timeline.unseen_spans(session, log, scale, view.ended_at),
        "notes": timeline.note_spans(session, view.id, scale),
    }


def _whole(view: ShiftView) -> timeline.TimeScale:
    return timeline.TimeScale(view.began_at, max(view.ended_at, view.began_at + timedelta(minutes=1)))


def _window(view: ShiftView, query: WindowQuery, zone: Any) -> timeline.TimeScale:
    """The requested part of a shift, else its start; in the house's time zone, so that hours are the house's."""
    begins = view.began_at if query.at is None else query.at
    begins = min(max(begins, view.began_at - timedelta(hours=1)), view.ended_at)
    lasts = timedelta(minutes=query.minutes)
    if query.at is None and view.ended_at - view.began_at < lasts:
        lasts = max(view.ended_at - view.began_at, timedelta(minutes=1))
    return timeline.TimeScale(begins.astimezone(zone), (begins + lasts).astimezone(zone))


def _hours(view: ShiftView, zone: Any) -> Sequence[timeline.Span]:
    """The hours of the house's clock, each a link."""
    scale = _whole(view)
    at = view.began_at.astimezone(zone).replace(minute=0, second=0, microsecond=0)
    found = []
    while at < view.ended_at:
        after = at + timedelta(hours=1)
        found.append(scale.span(at, after, kind="hour", title=f"{at:%H:%M} to {after:%H:%M}"))
        at = after
    return found


def _beside(session: Session, person: Person, view: ShiftView) -> Sequence[ShiftView]:
    """The shifts of other tables on the same day."""
    wish = ShiftWish(from_at=view.began_at - timedelta(hours=12), to_at=view.began_at + timedelta(hours=12))
    page = list_shifts(session, person, wish, limit=40)
    return [one for one in page.items if one.id != view.id]


def _alerts_of(session: Session, views: Sequence[RoundView]) -> Mapping[int, Sequence[AlertRow]]:
    """The alerts of each round, by the round's id."""
    keys = {(view.log_id, view.body["round"]): view.id for view in views}
    wanted = select(AlertRow).where(tuple_(AlertRow.log_id, AlertRow.round).in_(list(keys)))
    found: dict[int, list[AlertRow]] = {}
    for row in session.scalars(wanted.order_by(AlertRow.at)):
        session.expunge(row)
        found.setdefault(keys[row.log_id, row.round], []).append(row)
    return found
