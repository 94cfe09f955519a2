"""A room that looks as on a working night, for its pictures: four tables that were watched, alerts in every state."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import cv2
from sqlalchemy import select

from rules.alerts import Alert, Remedy, Severity
from rules.words import Bet
from service.live.overlay_memory import area_texts
from service.live.pictures import JPEG_QUALITY, WIDTH_PX
from service.live.states import state_of
from service.notify import outbox
from service.notify.outbox import Outcome
from service.overlay import Outline, draw_overlay
from service.pipeline import Progress, watch_table
from service.ports import Picture
from service.room.cases import add_note, open_case, put_alert
from service.room.holding import put_hold
from service.room.life import AlertState, Step, take_step
from service.stills import still_at
from service.store.people import Person, Role
from service.store.schema import AlertRow
from service.watching import hand_outlines
from service.wiring import now_utc
from tests.service.browser.served import FilmedTable, ServedRoom, an_alert

NOTIFICATIONS = """
webhooks: [{name: back-office, url: "https://office.example/thirdcard", secret_env: OFFICE}]
people: [{name: duty-manager, url_env: DUTY}]
rules:
  - {channels: [back-office]}
  - {channels: [duty-manager], events: [raised, overdue, service], least_severity: high}
overdue_after_min: 3
"""
ENVIRONMENT = {"OFFICE": "a secret of sixteen letters", "DUTY": "json://localhost"}
SUPERVISOR = Person(name="cleo", role=Role.SUPERVISOR, tables=None)
OPERATOR = Person(name="ben", role=Role.OPERATOR, tables=None)
WATCHED_S = {"T1": 15.0, "T2": 6.0, "T3": 5.0, "T4": 7.0}
DEALERS = {"T1": "Ada", "T2": "Ben", "T3": "Cleo", "T4": "Dan"}
SHORT = Remedy("supervisor", None, "The supervisor decides.")


def furnish_night(room: ServedRoom) -> None:
    """Watch the tables, raise and decide alerts, gather a case, hold it, tell others."""
    for table in room.tables.values():
        table.film(WATCHED_S[table.config.id] + 2.0)
        _watch(room, table, WATCHED_S[table.config.id])
    _raise_more(room)
    for table in room.tables.values():
        table.keep_all()
    _decide(room)
    _gather(room)
    _tell(room)
    room.outside.retention.keep_budget()


def _watch(room: ServedRoom, table: FilmedTable, length_s: float) -> None:
    config = replace(table.config, cameras=(replace(table.config.cameras[0], loop=False),))
    last: Progress | None = None
    for progress in watch_table(config, signals=None):
        if progress.t > length_s:
            break
        last = progress
        at = table.began + timedelta(seconds=progress.t)
        texts = area_texts(config.layout, progress.state)
        table.evidence.memory.remember(at, _outlines(progress), texts)
        if progress.events or progress.alerts or progress.rounds:
            table.write(events=progress.events, alerts=progress.alerts, rounds=progress.rounds, now=at)
    assert last is not None
    _show(room, table, last)


def _outlines(progress: Progress) -> tuple[Outline, ...]:
    return tuple(
        Outline(polygon_mm=card.corners_mm, text=(card.label or "?") if card.face_up else "") for card in progress.cards
    )


def _show(room: ServedRoom, table: FilmedTable, last: Progress) -> None:
    """The table's newest picture and state."""
    camera, name = table.config.cameras[0], table.config.id
    still = still_at(room.home.folder / "recordings" / name / "video.mp4", last.t)
    assert still is not None
    outlines = (*_outlines(last), *hand_outlines(table.config.layout, last.state))
    drawn = draw_overlay(still.image_hw3, camera.calibration, table.config.layout, outlines)
    height = round(drawn.shape[0] * WIDTH_PX / drawn.shape[1])
    small = cv2.resize(drawn, (WIDTH_PX, height), interpolation=cv2.INTER_AREA)
    done, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    assert done
    room.live.pictures[name] = Picture(jpeg=data.tobytes(), version="2")
    state = state_of(name, table.config.layout, last.state, at=now_utc(), t=last.t)
    room.live.known[name] = replace(state, camera="playing", dealer=DEALERS[name], frames=81_204, lag_s=0.1)


def _raise_more(room: ServedRoom) -> None:
    order = an_alert(
        6.0,
        code="misdeal.order",
        severity=Severity.MEDIUM,
        rule="8.8",
        seat=None,
        bet=None,
        area=None,
        amount=None,
        remedy=SHORT,
        message="The third card went to the Banker before the Player.",
    )
    paid = an_alert(
        8.0,
        code="payout.wrong_amount",
        severity=Severity.CRITICAL,
        rule="9.2",
        bet=Bet.PLAYER,
        seat=5,
        area="s5-player",
        amount=400,
        remedy=SHORT,
        message="Seat 5's wager of 200 on Player was paid 400; 200 is due.",
    )
    room.tables["T2"].write(alerts=[order])
    room.tables["T4"].write(alerts=[paid])
    room.tables["T3"].write(alerts=[_late(n) for n in range(6)])


def _late(n: int) -> Alert:
    """One of a storm of late bets."""
    seat = 1 + n % 5
    return an_alert(
        2.0 + 2 * n,
        seat=seat,
        area=f"s{seat}-banker",
        severity=Severity.HIGH if n % 3 else Severity.MEDIUM,
        code="late_bet.placed" if n % 2 else "late_bet.increased",
        message=f"Seat {seat} put {100 * (n + 1)} on Banker {1.2 + n / 10:.1f} s after betting closed.",
    )


def _ids(room: ServedRoom, **wanted: Any) -> list[int]:
    with room.database.reading() as session:
        query = select(AlertRow.id).order_by(AlertRow.id)
        for name, value in wanted.items():
            query = query.where(getattr(AlertRow, name) == value)
        return list(session.scalars(query))


def _decide(room: ServedRoom) -> None:
    steps = [(number, Step(state=AlertState.ACKNOWLEDGED)) for number in _ids(room, table_id="T1")[:1]]
    steps += [(number, Step(state=AlertState.DISMISSED, reason="card_misread", note="The six was a nine."))
              for number in _ids(room, table_id="T2")]  # fmt: skip
    steps += [
        (number, Step(state=AlertState.ESCALATED, note="The player insists."))
        for number in _ids(room, table_id="T4")[-1:]
    ]
    with room.database.writing() as session:
        for number, step in steps:
            take_step(session, OPERATOR, number, step, now=now_utc())


def _gather(room: ServedRoom) -> None:
    first, paid, now = _ids(room, table_id="T1")[0], _ids(room, table_id="T4")[-1], now_utc()
    with room.database.writing() as session:
        case = open_case(session, SUPERVISOR, "Seat 5, paid twice on Saturday", now=now)
        for number in (first, paid):
            put_alert(session, SUPERVISOR, case, number, now=now)
        add_note(session, SUPERVISOR, case, "Same dealer as on Friday; the pit manager was told at 21:40.", now=now)
        put_hold(
            session, SUPERVISOR, "Asked for by the inspector, letter of 20 November.", alert=None, case=case, now=now
        )
        open_case(session, SUPERVISOR, "Cutting card at T3", now=now)


def _tell(room: ServedRoom) -> None:
    while room.outside.notifications.enter_news():
        pass
    now = now_utc()
    with room.database.writing() as session:
        for channel in ("back-office", "duty-manager"):
            waiting = outbox.due(session, channel, now=now, limit=50)
            sent = [one.id for one in waiting[1:]]
            outbox.settle(session, Outcome(ids=sent, at=now))
            refused = "the receiver answered 503 Service Unavailable"
            outbox.settle(session, Outcome(ids=[one.id for one in waiting[:1]], at=now, fault=refused))
