"""Rounds and the audit trail over the API."""

from __future__ import annotations

import pytest

from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import TestRoom, close_round, raise_alert


def test_rounds_are_newest_first_and_go_on(room: TestRoom) -> None:
    made = [close_round(room, number) for number in (1, 2, 3)]
    client = room.as_role("viewer")
    first = client.get("/api/rounds?limit=2").json()
    rest = client.get("/api/rounds", params={"limit": 2, "cursor": first["next"]}).json()
    assert [item["id"] for item in first["items"] + rest["items"]] == made[::-1]
    assert rest["next"] is None


@pytest.mark.parametrize(
    ("query", "numbers"),
    [({"table": "B08"}, [2]), ({"dealer": "d18"}, [3]), ({"from": "2026-05-04T12:00:55Z"}, [3]),
     ({"to": "2026-05-04T12:00:55Z"}, [2, 1])],
)  # fmt: skip
def test_filters(room: TestRoom, query: dict[str, str], numbers: list[int]) -> None:
    close_round(room, 1)
    close_round(room, 2, "B08")
    close_round(room, 3, dealer="d18")
    items = room.as_role("viewer").get("/api/rounds", params=query).json()["items"]
    assert [item["round"] for item in items] == numbers


def test_one_round_comes_with_its_log(room: TestRoom) -> None:
    close_round(room, 1)
    number = close_round(room, 2)
    body = room.as_role("viewer").get(f"/api/rounds/{number}").json()
    assert (body["table"], body["round"], body["player"], body["opened_at"]) == (
        "B07", 2, ["7H", "2S"], "2026-05-04T12:00:40.000Z",
    )  # fmt: skip
    assert [(line["t"], line["type"]) for line in body["log"]] == [
        (40.0, "no_more_bets"), (41.0, "card_dealt"), (49.0, "round_closed"),
    ]  # fmt: skip


def test_round_of_another_table_is_hidden(room: TestRoom) -> None:
    assert_error(room.as_role("anna").get(f"/api/rounds/{close_round(room, 1)}"), 404)


def test_cursor_of_another_list_is_refused(room: TestRoom) -> None:
    for _ in range(2):
        raise_alert(room)
    cursor = room.as_role("viewer").get("/api/alerts?limit=1").json()["next"]
    assert_error(room.as_role("viewer").get("/api/rounds", params={"cursor": cursor}), 422, field="cursor")
    assert_error(room.as_role("admin").get("/api/audit", params={"cursor": cursor}), 422, field="cursor")


def test_audit_is_for_supervisors(room: TestRoom) -> None:
    for _ in range(3):
        room.as_role("operator").post(f"/api/alerts/{raise_alert(room)}/state", json={"state": "confirmed"})
    assert_error(room.as_role("operator").get("/api/audit"), 403, says="role supervisor")
    client = room.as_role("supervisor")
    first = client.get("/api/audit?limit=2").json()
    rest = client.get("/api/audit", params={"cursor": first["next"]}).json()
    assert [item["seq"] for item in first["items"] + rest["items"]] == [3, 2, 1]
    assert rest["items"][0] == {
        "seq": 1,
        "at": "2026-05-04T12:00:00.000Z",
        "who": "token:operator",
        "action": "alert.confirmed",
        "target": "alert:1",
        "details": {"before": "open"},
    }
