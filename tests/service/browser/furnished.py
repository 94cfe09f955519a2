"""A room with a working night, for its pictures: four tables that play the shipped recording, many alerts."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import cv2
from sqlalchemy import select

from tests.service.browser.served import FilmedTable, ServedRoom, an_alert
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.game.words import Bet, Remedy, Severity
from thirdcard.rules.log.events import DealerChanged, Event, parse_event
from thirdcard.rules.round.round import RoundState
from thirdcard.service.alerts.cases import add_note, open_case, put_alert
from thirdcard.service.alerts.holding import put_hold
from thirdcard.service.alerts.lifecycle import Step, take_step
from thirdcard.service.live.live_pictures import JPEG_QUALITY, WIDTH_PX
from thirdcard.service.live.worker import status_of
from thirdcard.service.media.overlay import draw_overlay
from thirdcard.service.media.overlay_memory import area_texts, hand_outlines
from thirdcard.service.media.stills import still_at
from thirdcard.service.notify import outbox
from thirdcard.service.notify.outbox import DeliveryOutcome
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.ports.live_tables import Picture
from thirdcard.service.store.alert_states import AlertState
from thirdcard.service.store.people import Person, Role
from thirdcard.service.store.schema import AlertRow
from thirdcard.service.watch.factory import build_belief
from thirdcard.service.web.demo_room import BEGINNINGS_S, RECORDING

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
PLAYED_S = {"T1": 26.0, "T2": 11.0, "T3": 24.0, "T4": 13.0}
DEALERS = {"T1": "Ada", "T2": "Ben", "T3": "Cleo", "T4": "Dan"}
SHORT = Remedy("supervisor", None, "The supervisor decides.")


def furnish_night(room: ServedRoom) -> None:
    """Play the tables, raise and decide alerts, make a case with a hold, send notifications."""
    for table, began_s in zip(room.tables.values(), BEGINNINGS_S, strict=True):
        table.film()
        _play(room, table, began_s)
    _raise_more(room)
    for table in room.tables.values():
        table.keep_all()
    _decide(room)
    _gather(room)
    _tell(room)
    room.background.retention.keep_budget()


def _play(room: ServedRoom, table: FilmedTable, began_s: float) -> None:
    """Write the table's part of the recording's own log, judged line by line."""
    name, length_s = table.config.id, PLAYED_S[table.config.id]
    belief = build_belief(table.config)
    events: list[Event] = [DealerChanged(t=0.0, dealer=DEALERS[name])]
    lines = (RECORDING / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    events += [replace(event, t=round(event.t - began_s, 3)) for event in map(parse_event, map(json.loads, lines))
               if 0.0 < event.t - began_s <= length_s]  # fmt: skip
    for event in events:
        found = belief.observe(event)
        at = table.began + timedelta(seconds=event.t)
        table.evidence.memory.remember(at, (), area_texts(table.config.layout, belief.state))
        table.write(events=[event], alerts=found.alerts, rounds=found.rounds, now=at)
    _show(room, table, belief.state, length_s)


def _show(room: ServedRoom, table: FilmedTable, state: RoundState, t: float) -> None:
    """Show the table's newest picture and state."""
    camera, name, layout = table.config.cameras[0], table.config.id, table.config.layout
    still = still_at(Path(camera.source), t)
    assert still is not None
    drawn = draw_overlay(still.image_hw3, camera.calibration, layout, hand_outlines(layout, state))
    height = round(drawn.shape[0] * WIDTH_PX / drawn.shape[1])
    small = cv2.resize(drawn, (WIDTH_PX, height), interpolation=cv2.INTER_AREA)
    done, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    assert done
    room.live.pictures[name] = Picture(jpeg=data.tobytes(), version="2")
    told = status_of(name, layout, state, at=now_utc(), t=t)
    room.live.known[name] = replace(told, camera="playing", dealer=DEALERS[name], frames=81_204, lag_s=0.1)


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
    room.tables["T2"].write(doubtful=[replace(order, t=4.0, confidence=0.16), replace(paid, t=5.0, confidence=0.41)])


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
        add_note(session, SUPERVISOR, case, "Same dealer as on Friday; the pit manager was informed at 21:40.", now=now)
        put_hold(
            session, SUPERVISOR, "Asked for by the inspector, letter of 20 November.", alert=None, case=case, now=now
        )
        open_case(session, SUPERVISOR, "Cutting card at T3", now=now)


def _tell(room: ServedRoom) -> None:
    while room.background.notifications.enter_news():
        pass
    now = now_utc()
    with room.database.writing() as session:
        for channel in ("back-office", "duty-manager"):
            waiting = outbox.due(session, channel, now=now, limit=50)
            sent = [one.id for one in waiting[1:]]
            outbox.settle(session, DeliveryOutcome(ids=sent, at=now))
            refused = "the receiver answered 503 Service Unavailable"
            outbox.settle(session, DeliveryOutcome(ids=[one.id for one in waiting[:1]], at=now, fault=refused))
