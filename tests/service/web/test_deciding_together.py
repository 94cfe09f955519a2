"""Several alerts are decided in one act: each by itself, as a single one; those that cannot be are named."""

from __future__ import annotations

from typing import Any

import pytest

from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import TestRoom, raise_alert

DISMISSED = {"state": "dismissed", "reason": "duplicate", "note": "The same sleeve."}


def together(room: TestRoom, who: str, numbers: list[int], **body: Any) -> dict[str, Any]:
    answer = room.as_role(who).post("/api/alerts/decide", json={"alerts": numbers, **body})
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


def test_each_alert_has_its_own_history_and_its_own_line_in_the_audit(room: TestRoom) -> None:
    numbers = [raise_alert(room), raise_alert(room, "B08"), raise_alert(room)]
    assert together(room, "operator", numbers, **DISMISSED) == {"decided": numbers, "left": []}
    for number in numbers:
        body = room.as_role("viewer").get(f"/api/alerts/{number}").json()
        assert (body["state"], body["owner"]) == ("dismissed", "token:operator")
        (change,) = body["changes"]
        assert (change["reason"], change["note"]) == ("duplicate", "The same sleeve.")
    acts = room.as_role("supervisor").get("/api/audit?action=alert.dismissed").json()["items"]
    assert [act["target"] for act in acts] == [f"alert:{number}" for number in numbers[::-1]]
    assert {act["details"]["among"] for act in acts} == {3}


def test_decision_about_one_alert_says_nothing_of_others(room: TestRoom) -> None:
    number = raise_alert(room)
    room.as_role("operator").post(f"/api/alerts/{number}/state", json={"state": "confirmed"})
    (act,) = room.as_role("supervisor").get("/api/audit?action=alert.confirmed").json()["items"]
    assert "among" not in act["details"]


def test_what_cannot_be_decided_is_named_and_the_others_are_decided(room: TestRoom) -> None:
    closed, senior, escalated, free = (raise_alert(room, "B08") for _ in range(4))
    elsewhere = raise_alert(room, "B07")
    room.as_role("supervisor").post(f"/api/alerts/{closed}/state", json={"state": "confirmed"})
    room.as_role("supervisor").post(f"/api/alerts/{senior}/state", json={"state": "acknowledged"})
    room.as_role("anna").post(f"/api/alerts/{escalated}/state", json={"state": "escalated"})
    told = together(room, "anna", [closed, senior, escalated, free, elsewhere, 99], **DISMISSED)
    assert told["decided"] == [free]
    assert {one["alert"]: one["message"] for one in told["left"]} == {
        closed: "the alert is confirmed already, by token:supervisor",
        senior: "token:supervisor has taken the alert; a supervisor's alert is decided by supervisors",
        escalated: "you escalated the alert; somebody else closes it",
        elsewhere: "there is no such alert at your tables",
        99: "there is no such alert at your tables",
    }
    assert room.as_role("viewer").get(f"/api/alerts/{elsewhere}").json()["state"] == "open"


def test_alert_that_is_named_twice_is_decided_once(room: TestRoom) -> None:
    number = raise_alert(room)
    assert together(room, "operator", [number, number], state="confirmed") == {"decided": [number], "left": []}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        pytest.param({"alerts": [1], "state": "dismissed"}, "reason", id="dismissed for no reason"),
        pytest.param({"alerts": [1], "state": "escalated"}, "state", id="a state that is decided one by one"),
        pytest.param({"alerts": [1], "state": "confirmed", "note": "a\x07b"}, "note", id="what cannot be printed"),
        pytest.param({"alerts": [], "state": "confirmed"}, "alerts", id="none"),
        pytest.param({"alerts": [1] * 501, "state": "confirmed"}, "alerts", id="too many"),
    ],
)
def test_bad_wish_to_decide_is_named_and_decides_nothing(room: TestRoom, body: dict[str, Any], field: str) -> None:
    number = raise_alert(room)
    assert_error(room.as_role("operator").post("/api/alerts/decide", json=body), 422, field=field)
    assert room.as_role("viewer").get(f"/api/alerts/{number}").json()["state"] == "open"


def test_viewer_decides_nothing_and_sees_nothing_to_choose(room: TestRoom) -> None:
    number = raise_alert(room)
    body = {"alerts": [number], "state": "confirmed"}
    assert_error(room.as_role("viewer").post("/api/alerts/decide", json=body), 403)
    text = room.browser("viewer").get("/alerts").text
    assert "data-pick" not in text and "chosen-bar" not in text


def test_only_what_is_not_closed_can_be_chosen(room: TestRoom) -> None:
    numbers = [raise_alert(room), raise_alert(room)]
    together(room, "operator", numbers[:1], state="confirmed")
    text = room.browser("operator").get("/parts/alerts?show=all").text
    assert text.count("data-pick") == 1
    assert f"Choose alert {numbers[1]}, B07" in text
