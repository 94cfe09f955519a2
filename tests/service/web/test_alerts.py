"""Alerts over the API: lists, one of them, its life."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from sqlalchemy import select

from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import TestRoom, close_round, keep_evidence, raise_alert
from thirdcard.service.alerts.reasons import DISMISSAL_REASONS
from thirdcard.service.store.schema import AlertChange, ChainLine


def ids(answer: Any) -> list[int]:
    """The numbers of a list's alerts."""
    assert answer.status_code == 200, answer.text
    return [item["id"] for item in answer.json()["items"]]


def decide(room: TestRoom, role: str, alert: int, **body: Any) -> Any:
    """Take an alert a step further."""
    return room.as_role(role).post(f"/api/alerts/{alert}/state", json=body)


def test_list_is_newest_first_and_goes_on_where_it_ended(room: TestRoom) -> None:
    made = [raise_alert(room, t=float(n)) for n in range(7)]
    client, seen, cursor = room.as_role("viewer"), [], None
    for _ in range(3):
        body = client.get("/api/alerts", params={"limit": 3} | ({"cursor": cursor} if cursor else {})).json()
        seen += [item["id"] for item in body["items"]]
        cursor = body["next"]
    assert seen == made[::-1]
    assert cursor is None


def test_item_says_what_the_contract_orders(room: TestRoom) -> None:
    keep_evidence(room, raise_alert(room), "clip", b"film")
    (item,) = room.as_role("viewer").get("/api/alerts").json()["items"]
    assert item["at"] == "2026-05-04T12:01:23.200Z"
    assert (item["table"], item["state"], item["owner"], item["rule"]) == ("B07", "open", None, "6.3")
    assert item["remedy"] == {"action": "void_wager", "rule": "6.3", "text": "The wager is void."}
    assert item["evidence"]["clip"] == "/api/alerts/1/clip"
    assert (item["evidence"]["from"], item["evidence"]["to"]) == (75.0, 90.0)
    assert item["evidence"]["still"] is None


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param({"table": "B08"}, [3], id="table"),
        pytest.param({"code": "late_bet"}, [2, 1], id="family of codes"),
        pytest.param({"code": "late_bet.placed"}, [1], id="code"),
        pytest.param({"code": "late"}, [], id="half a word is no family"),
        pytest.param({"code": "late_be_"}, [], id="no wildcard"),
        pytest.param({"severity": "critical"}, [3], id="severity"),
        pytest.param({"severity": ["critical", "low"]}, [3, 2], id="two severities"),
        pytest.param({"state": "dismissed"}, [1], id="state"),
        pytest.param({"dealer": "d18"}, [2], id="dealer"),
        pytest.param({"from": "2026-05-04T12:00:20Z"}, [3, 2], id="from"),
        pytest.param({"to": "2026-05-04T14:00:20+02:00"}, [1], id="to, in another time zone"),
        pytest.param({"table": "B07", "dealer": "d17"}, [1], id="two filters"),
    ],
)
def test_filters(room: TestRoom, query: dict[str, Any], expected: list[int]) -> None:
    raise_alert(room, t=10.0)
    raise_alert(room, t=20.0, code="late_bet.removed", severity="low", dealer="d18")
    raise_alert(room, "B08", t=30.0, code="misdeal.order", severity="critical")
    assert decide(room, "operator", 1, state="dismissed", reason="training_or_test").status_code == 200
    assert ids(room.as_role("viewer").get("/api/alerts", params=query)) == expected


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"limit": "0"}, "limit"),
        ({"limit": "501"}, "limit"),
        ({"limit": "many"}, "limit"),
        ({"severity": "deadly"}, "severity.0"),
        ({"state": "closed"}, "state.0"),
        ({"from": "yesterday"}, "from"),
        ({"from": "2026-05-04T12:00:00"}, "from"),
        ({"table": "a\0b"}, "table"),
        ({"table": ""}, "table"),
        ({"cursor": "x" * 500}, "cursor"),
        ({"cursor": "not a cursor"}, "cursor"),
        ({"cursor": "cm91bmRzOjM"}, "cursor"),
        ({"cursor": "YWxlcnRzOi0x"}, "cursor"),
        ({"cursor": "YWxlcnRzOjA5"}, "cursor"),
        ({"cursor": "ü"}, "cursor"),
    ],
)
def test_bad_filter_is_named(room: TestRoom, query: dict[str, str], field: str) -> None:
    assert_error(room.as_role("viewer").get("/api/alerts", params=query), 422, field=field)


def test_one_alert_comes_with_round_log_and_history(room: TestRoom) -> None:
    close_round(room, 3)
    close_round(room, 4)
    alert = raise_alert(room, round=4)
    decide(room, "operator", alert, state="acknowledged", note="looking")
    body = room.as_role("viewer").get(f"/api/alerts/{alert}").json()
    assert body["round"] == 4
    assert body["round_record"]["player"] == ["7H", "2S"]
    assert [line["type"] for line in body["log"]] == ["no_more_bets", "card_dealt", "round_closed"]
    assert body["log"][0] == {
        "t": 80.0,
        "type": "no_more_bets",
        "source": "signal",
        "line": 4,
        "at": "2026-05-04T12:04:00.000Z",
    }
    (change,) = body["changes"]
    assert (change["who"], change["before"], change["after"], change["note"]) == (
        "token:operator", "open", "acknowledged", "looking",
    )  # fmt: skip


def test_log_goes_on_to_the_end_of_the_round_after(room: TestRoom) -> None:
    alert = raise_alert(room, round=2)
    for number in (1, 2, 3, 4):
        close_round(room, number)
    body = room.as_role("viewer").get(f"/api/alerts/{alert}").json()
    assert [line["t"] for line in body["log"] if line["type"] == "no_more_bets"] == [40.0, 60.0]


def test_alert_of_a_running_round_has_no_record_yet(room: TestRoom) -> None:
    body = room.as_role("viewer").get(f"/api/alerts/{raise_alert(room)}").json()
    assert body["round_record"] is None
    assert body["log"] == []


@pytest.mark.parametrize(
    "steps",
    [
        ["acknowledged", "escalated", "confirmed"],
        ["acknowledged", "confirmed"],
        ["escalated", "dismissed"],
        ["confirmed"],
        ["dismissed"],
    ],
)
def test_legal_lives(room: TestRoom, steps: list[str]) -> None:
    alert = raise_alert(room)
    for before, state in pairwise([None, *steps]):
        who = "supervisor" if before == "escalated" else "operator"
        answer = decide(room, who, alert, state=state, reason="other")
        assert answer.status_code == 200, answer.text
        assert (answer.json()["state"], answer.json()["owner"]) == (state, f"token:{who}")
    with room.database.reading() as session:
        assert [change.after for change in session.scalars(select(AlertChange))] == steps


@pytest.mark.parametrize(
    ("first", "second", "says"),
    [
        ("confirmed", "dismissed", "confirmed already, by token:operator"),
        ("dismissed", "confirmed", "dismissed already"),
        ("dismissed", "acknowledged", "dismissed already"),
        ("acknowledged", "acknowledged", "acknowledged already, by token:operator"),
        ("escalated", "acknowledged", "cannot become acknowledged"),
    ],
)
def test_step_that_comes_too_late_conflicts(room: TestRoom, first: str, second: str, says: str) -> None:
    alert = raise_alert(room)
    assert decide(room, "operator", alert, state=first, reason="other").status_code == 200
    answer = decide(room, "operator", alert, state=second, reason="other")
    assert_error(answer, 409, field="state", says=says)
    with room.database.reading() as session:
        assert len(session.scalars(select(AlertChange)).all()) == 1


def test_supervisor_takes_an_alert_from_its_owner(room: TestRoom) -> None:
    alert = raise_alert(room)
    decide(room, "operator", alert, state="acknowledged")
    assert decide(room, "supervisor", alert, state="acknowledged").json()["owner"] == "token:supervisor"
    assert_error(decide(room, "supervisor", alert, state="acknowledged"), 409, field="state")


@pytest.mark.parametrize("role", ["operator", "supervisor"])
@pytest.mark.parametrize("state", ["confirmed", "dismissed"])
def test_who_escalated_an_alert_does_not_close_it(room: TestRoom, role: str, state: str) -> None:
    alert = raise_alert(room)
    decide(room, role, alert, state="escalated")
    refused = decide(room, role, alert, state=state, reason="other")
    assert_error(refused, 409, field="state", says="somebody else closes it")
    assert decide(room, "admin", alert, state=state, reason="other").status_code == 200


@pytest.mark.parametrize(
    ("who", "steps", "offered"),
    [
        ("operator", [], {"acknowledged", "escalated", "confirmed", "dismissed"}),
        ("operator", [("operator", "acknowledged")], {"escalated", "confirmed", "dismissed"}),
        ("operator", [("operator", "escalated")], set()),
        ("supervisor", [("operator", "escalated")], {"confirmed", "dismissed"}),
        ("operator", [("supervisor", "acknowledged")], set()),
        ("supervisor", [("operator", "acknowledged")], {"acknowledged", "escalated", "confirmed", "dismissed"}),
        ("viewer", [], set()),
    ],
)
def test_page_offers_what_may_be_done(
    room: TestRoom, who: str, steps: list[tuple[str, str]], offered: set[str]
) -> None:
    alert = raise_alert(room)
    for name, state in steps:
        assert decide(room, name, alert, state=state).status_code == 200
    page = room.as_role(who).get(f"/parts/alerts/{alert}").text
    assert set(re.findall(r'data-step="(\w+)"', page)) == offered


@pytest.mark.parametrize("state", ["acknowledged", "escalated", "confirmed", "dismissed"])
def test_what_a_supervisor_took_no_operator_decides(room: TestRoom, state: str) -> None:
    alert = raise_alert(room)
    decide(room, "operator", alert, state="acknowledged")
    decide(room, "supervisor", alert, state="acknowledged")
    refused = decide(room, "operator", alert, state=state, reason="other")
    assert_error(refused, 409, field="state", says="token:supervisor has taken the alert")
    assert decide(room, "admin", alert, state=state, reason="other").status_code == 200


def test_dismissal_needs_a_reason(room: TestRoom) -> None:
    alert = raise_alert(room)
    assert_error(decide(room, "operator", alert, state="dismissed"), 422, field="reason", says="reason")
    assert decide(room, "operator", alert, state="dismissed", reason="card_misread").status_code == 200


def test_reason_in_words_of_ones_own_is_kept_as_a_note(room: TestRoom) -> None:
    alert = raise_alert(room)
    decide(room, "operator", alert, state="dismissed", reason="a glass stood there", note="see camera 2")
    (change,) = room.as_role("viewer").get(f"/api/alerts/{alert}").json()["changes"]
    assert change["reason"] == "other"
    assert change["reason"] in DISMISSAL_REASONS
    assert change["note"] == "a glass stood there: see camera 2"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "state"),
        ({"state": "open"}, "state"),
        ({"state": 3}, "state"),
        ({"state": "confirmed", "colour": "red"}, "colour"),
        ({"state": "confirmed", "note": ""}, "note"),
        ({"state": "confirmed", "note": "x" * 5000}, "note"),
        ({"state": "confirmed", "note": "a\x00b"}, "note"),
        ({"state": "confirmed", "note": "\ud800"}, "note"),
        ({"state": "dismissed", "reason": "x" * 501}, "reason"),
    ],
)
def test_bad_step_is_named_and_nothing_is_done(room: TestRoom, body: dict[str, Any], field: str) -> None:
    alert = raise_alert(room)
    content = json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    answer = room.as_role("operator").post(f"/api/alerts/{alert}/state", content=content, headers=headers)
    assert_error(answer, 422, field=field)
    assert room.as_role("viewer").get(f"/api/alerts/{alert}").json()["state"] == "open"


def test_step_stands_in_the_audit_chain(room: TestRoom) -> None:
    alert = raise_alert(room)
    decide(room, "operator", alert, state="dismissed", reason="duplicate", note="same as 4")
    with room.database.reading() as session:
        (line,) = session.scalars(select(ChainLine).where(ChainLine.chain == "audit"))
    assert json.loads(line.body) == {
        "who": "token:operator",
        "action": "alert.dismissed",
        "target": f"alert:{alert}",
        "details": {"before": "open", "reason": "duplicate", "note": "same as 4"},
    }


def test_step_without_its_audit_line_is_not_done(room: TestRoom, monkeypatch: pytest.MonkeyPatch) -> None:
    alert = raise_alert(room)
    monkeypatch.setattr("thirdcard.service.alerts.lifecycle.audit.note", lambda *_, **__: 1 / 0)
    assert_error(decide(room, "operator", alert, state="confirmed"), 500)
    assert room.as_role("viewer").get(f"/api/alerts/{alert}").json()["state"] == "open"


def test_viewer_decides_nothing(room: TestRoom) -> None:
    assert_error(decide(room, "viewer", raise_alert(room), state="confirmed"), 403, says="role operator")


def test_person_sees_his_tables_only(room: TestRoom) -> None:
    hidden, shown = raise_alert(room, "B07"), raise_alert(room, "B08")
    anna = room.as_role("anna")
    assert ids(anna.get("/api/alerts")) == [shown]
    assert_error(anna.get(f"/api/alerts/{hidden}"), 404)
    assert_error(anna.get(f"/api/alerts/{hidden}/clip"), 404)
    assert_error(decide(room, "anna", hidden, state="confirmed"), 404)
    assert_error(anna.get("/api/tables/B07"), 404)
    assert_error(anna.get("/api/tables/B07/live"), 404)
    assert [table["id"] for table in anna.get("/api/tables").json()["items"]] == ["B08"]
