"""Tables over the API: how they stand, their pictures, reports of their devices."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from fastapi.routing import APIRoute
from sqlalchemy import select

from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import NOON, TestRoom, raise_alert, table_state
from thirdcard.rules.log.events import NoMoreBets, parse_event
from thirdcard.service.config.table_facts import TableFacts
from thirdcard.service.ports.live_tables import Picture
from thirdcard.service.store.schema import SignalRow
from thirdcard.service.web.app import ROUTERS

OPEN_TO_ALL = {"/api/health", "/api/docs", "/api/openapi.json", "/metrics", "/login"}


class _AnyName(dict[str, str]):
    def __missing__(self, _name: str) -> str:
        return "1"


ANY_NAME = _AnyName()


def report(room: TestRoom, **body: Any) -> Any:
    """Send a device's report."""
    content = json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    return room.as_role("operator").post("/api/tables/B07/signals", content=content, headers=headers)


def kept(room: TestRoom) -> list[SignalRow]:
    """The reports in the database."""
    with room.database.reading() as session:
        return list(session.scalars(select(SignalRow)))


def test_table_says_how_it_stands(room: TestRoom) -> None:
    raise_alert(room)
    table = room.as_role("viewer").get("/api/tables/B07").json()
    assert (table["id"], table["camera"], table["phase"], table["round"]) == ("B07", "playing", "dealing", 4)
    assert (table["player"], table["banker"], table["banker_total"]) == (["7H", None], ["KD", "6C"], 6)
    assert table["wagers"] == [{"area": "s3-banker", "place": "Seat 3", "bet": "banker", "amount": 500, "chips": 5}]
    assert (table["open_alerts"], table["last_alert"]["code"]) == (1, "late_bet.placed")


def test_health_is_open_and_honest(room: TestRoom) -> None:
    assert room.anybody().get("/api/health").json() == {"status": "ok", "version": "0.0.1"}
    room.live.known["B08"] = table_state("B08", camera="lost", fault="no answer")
    assert room.anybody().get("/api/health").json()["status"] == "degraded"
    room.live.known["B08"] = table_state("B08", disk_fault="full")
    assert room.anybody().get("/api/health").json()["status"] == "degraded"


def test_frame_is_sent_once(room: TestRoom) -> None:
    client = room.as_role("viewer")
    assert_error(client.get("/api/tables/B07/frame.jpg"), 404, says="picture yet")
    room.live.pictures["B07"] = Picture(jpeg=b"jpeg", version="17")
    answer = client.get("/api/tables/B07/frame.jpg?v=1")
    assert (answer.content, answer.headers["Content-Type"]) == (b"jpeg", "image/jpeg")
    again = client.get("/api/tables/B07/frame.jpg", headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_report_lets_what_was_read_stand_until_the_table_has_judged_it(room: TestRoom) -> None:
    sharing = room.app.state.room.sharing
    sharing.get("the list", lambda: "read")
    report(room, type="no_more_bets")
    assert sharing.peek("the list") == "read"


def test_report_is_kept_and_the_table_is_nudged(room: TestRoom) -> None:
    answer = report(room, type="no_more_bets")
    assert answer.status_code == 202
    assert answer.json() == {"id": 1, "at": "2026-05-04T12:00:00.000Z"}
    (row,) = kept(room)
    event = parse_event(json.loads(row.body))
    assert isinstance(event, NoMoreBets)
    assert (row.table_id, row.at, row.is_taken, event.source) == ("B07", NOON, False, "signal")
    assert room.live.nudged == ["B07"]


def test_report_may_say_when(room: TestRoom) -> None:
    answer = report(room, type="dealer_changed", dealer="d18", at="2026-05-04T13:59:58+02:00", t=12.5)
    assert answer.json()["at"] == "2026-05-04T11:59:58.000Z"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "type"),
        ({"type": "no_such_thing"}, "type"),
        ({"type": 7}, "type"),
        ({"type": "no_more_bets", "t": "soon"}, "t"),
        ({"type": "no_more_bets", "t": None}, "t"),
        ({"type": "no_more_bets", "t": float("nan")}, "t"),
        ({"type": "no_more_bets", "t": 1e300}, "t"),
        ({"type": "no_more_bets", "colour": "red"}, "colour"),
        ({"type": "no_more_bets", "cölour": "red"}, "c\\u00f6lour"),
        ({"type": "no_more_bets", "confidence": 2}, "confidence"),
        ({"type": "no_more_bets", "source": "camera"}, "source"),
        ({"type": "dealer_changed"}, "dealer"),
        ({"type": "dealer_changed", "dealer": ""}, "dealer"),
        ({"type": "dealer_changed", "dealer": "x" * 201}, "dealer"),
        ({"type": "dealer_changed", "dealer": "a\0b"}, "dealer"),
        ({"type": "dealer_changed", "dealer": "\ud800"}, "dealer"),
        ({"type": "dealer_changed", "dealer": ["d18"]}, "dealer"),
        ({"type": "card_dealt", "card_id": "c1", "card": "1S"}, "card"),
        ({"type": "shoe_opened", "decks": 8.5}, "decks"),
        ({"type": "no_more_bets", "at": "noon"}, "at"),
        ({"type": "no_more_bets", "at": 12}, "at"),
        ({"type": "no_more_bets", "at": "2026-05-04T12:00:00"}, "at"),
        ({"type": "no_more_bets", "at": "2026-05-04T11:00:00Z"}, "at"),
        ({"type": "no_more_bets", "at": "2026-05-04T12:01:00Z"}, "at"),
        ({"type": "no_more_bets", "at": "0001-01-01T00:00:00+23:59"}, "at"),
    ],
)
def test_bad_report_is_named_and_not_kept(room: TestRoom, body: dict[str, Any], field: str) -> None:
    assert_error(report(room, **body), 422, field=field)
    assert kept(room) == []
    assert room.live.nudged == []


def test_report_for_no_table_is_not_found(room: TestRoom) -> None:
    answer = room.as_role("operator").post("/api/tables/B99/signals", json={"type": "no_more_bets"})
    assert_error(answer, 404, says="no such table")


def test_viewer_reports_nothing(room: TestRoom) -> None:
    answer = room.as_role("viewer").post("/api/tables/B07/signals", json={"type": "no_more_bets"})
    assert_error(answer, 403)


def test_figures_are_open_and_name_every_table(room: TestRoom) -> None:
    raise_alert(room)
    report(room, type="no_more_bets")
    answer = room.anybody().get("/metrics")
    assert answer.headers["Content-Type"].startswith("text/plain")
    assert 'thirdcard_table_watched{table="B08"} 1.0' in answer.text
    assert 'thirdcard_signals_waiting{table="B07"} 1.0' in answer.text
    assert 'thirdcard_alerts{code="late_bet.placed",severity="high",state="open",table="B07"} 1.0' in answer.text
    assert "thirdcard_disk_free_bytes" in answer.text


def test_device_sends_signals_of_its_tables_and_does_nothing_else(room: TestRoom) -> None:
    number = raise_alert(room, "B08")
    device = room.as_role("device")
    assert device.post("/api/tables/B08/signals", json={"type": "no_more_bets"}).status_code == 202
    assert_error(device.post("/api/tables/B07/signals", json={"type": "no_more_bets"}), 404)
    refused = device.post("/api/tables/B08/signals", json={"type": "no_more_bets", "source": "person"})
    assert_error(refused, 422, field="source")
    routes = [route for module in ROUTERS for route in module.router.routes if isinstance(route, APIRoute)]
    paths = {route.path for route in routes if "GET" in (route.methods or ())}
    closed = {path.format_map(ANY_NAME) for path in paths - OPEN_TO_ALL} | {f"/api/alerts/{number}"}
    assert len(closed) > 40
    assert {path: answer for path in closed if (answer := device.get(path).status_code) != 403} == {}
    assert_error(device.post(f"/api/alerts/{number}/state", json={"state": "acknowledged"}), 403)


def test_signal_of_an_area_that_the_layout_lacks_is_refused(room: TestRoom) -> None:
    facts = TableFacts(
        table_id="B07",
        file="b07.yaml",
        rulebook="tas",
        options={},
        shoe="",
        limits={},
        cameras=(),
        areas=("s3-banker",),
    )
    running = room.app.state.room
    room.app.state.room = replace(running, settings=replace(running.settings, tables=(facts,)))
    change = {"type": "wager_changed", "seat": 3, "bet": "banker", "before": 0, "after": 100}
    assert report(room, **change, area="s3-banker").status_code == 202
    assert_error(report(room, **change, area="s9-banker"), 422, field="area", says="allowed: s3-banker")
